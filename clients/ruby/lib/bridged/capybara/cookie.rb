# frozen_string_literal: true

module Bridged
  module Capybara
    # A cookie of the browser, with the names of other drivers (Cuprite).
    class Cookie
      # @param cookie as `cookies.list` describes it
      def initialize(cookie)
        @cookie = cookie
      end

      def name = @cookie["name"]

      def value = @cookie["value"]

      def domain = @cookie["domain"]

      def path = @cookie["path"]

      def secure? = @cookie["secure"]

      # Whether scripts of pages do not see it.
      def httponly? = @cookie["httpOnly"]

      alias http_only? httponly?

      # When it ends; nil if with the browser.
      def expires = @cookie["expires"]&.then { |seconds| Time.at(seconds) }

      def to_h = @cookie.dup
    end
  end
end
