# frozen_string_literal: true

class PostsController < ApplicationController
  before_action :require_author, except: [:index, :show]

  def index
    @posts = Post.order(:id)
  end

  def show
    @post = Post.find(params[:id])
  end

  def new
    @post = Post.new
  end

  def create
    @post = Post.new(params.require(:post).permit(:title, :body))
    if @post.save
      redirect_to @post, status: :see_other
    else
      render :new, status: :unprocessable_entity
    end
  end

  def destroy
    Post.find(params[:id]).destroy
    redirect_to posts_path, status: :see_other
  end
end
