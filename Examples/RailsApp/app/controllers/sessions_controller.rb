# frozen_string_literal: true

class SessionsController < ApplicationController
  def new
  end

  def create
    session[:author] = params[:name]
    redirect_to posts_path, status: :see_other
  end

  def destroy
    reset_session
    redirect_to posts_path, status: :see_other
  end
end
