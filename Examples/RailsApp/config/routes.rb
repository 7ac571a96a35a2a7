Rails.application.routes.draw do
  root to: redirect("/posts")
  resources :posts, only: [:index, :show, :new, :create, :destroy]
  resource :session, only: [:new, :create, :destroy]
end
