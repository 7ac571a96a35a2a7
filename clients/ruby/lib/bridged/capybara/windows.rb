# frozen_string_literal: true

module Bridged
  module Capybara
    # The windows: the app's, which shows the screen that the user sees, and those that pages have opened.
    #
    # A page of the app may open none: the app decides what such a link does. Windows exist if the app leaves them to the
    # browser (docs/notes/capybara.md).
    class Windows
      MAIN = "main"
      attr_reader :current

      def initialize(app)
        @app = app
        @current = MAIN
        # The page that each window shows, by the window's handle.
        @pages = {}
        @count = 0
      end

      # Which page a call is for.
      def address
        return {} if @current == MAIN

        { page: @pages.fetch(@current) { raise NoSuchWindow, "The window #{@current} was closed." } }
      end

      def handles
        refresh
        [MAIN, *@pages.keys]
      end

      def switch_to(handle)
        raise NoSuchWindow, "There is no window #{handle}." unless handles.include?(handle)

        @current = handle
      end

      def within(handle)
        former = @current
        switch_to(handle)
        yield
      ensure
        @current = former
      end

      # Forgets the windows that were closed, and notes new ones and the new pages of others.
      def refresh
        popups = list.select { |page| page["webView"].end_with?(".popup") }.to_h { |page| [page["page"], page["webView"]] }
        fresh = popups.keys - @pages.values
        @pages.each { |handle, page| @pages[handle] = fresh.shift unless popups.key?(page) }
        @pages.compact!
        fresh.each { |page| @pages["window-#{@count += 1}"] = page }
      end

      # The web view in which the app shows the screens of its main stack, also while a modal covers them; nil in a window that
      # a page has opened. Each tab has its own.
      def main_web_view
        return unless @current == MAIN

        page&.fetch("webView")&.sub(/\Amodal\b/, MAIN) || MAIN
      end

      # The page of a web view, or that of the current window, as pages.list describes it; nil if there is none.
      def page(web_view = nil)
        return list.select { |page| page["webView"] == web_view }.last if web_view

        answer = @app.call("pages.list")
        id = @current == MAIN ? answer["visible"] : address[:page]
        answer["pages"].find { |page| page["page"] == id }
      end

      # The documents of the windows, without those in frames.
      def list
        @app.call("pages.list")["pages"].select { |page| page["attached"] && page["frame"]["isMainFrame"] }
      end

      def reset
        @current = MAIN
      end
    end
  end
end
