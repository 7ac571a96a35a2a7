# frozen_string_literal: true

class ApplicationController < ActionController::Base
  helper_method :hotwire_native_app?, :author

  private

  # The gem turbo-rails has the same method.
  def hotwire_native_app?
    request.user_agent.to_s.match?(/(Turbo|Hotwire) Native/)
  end

  def author
    session[:author]
  end

  def require_author
    redirect_to new_session_path unless author
  end
end
