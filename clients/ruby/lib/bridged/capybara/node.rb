# frozen_string_literal: true

require "base64"
require "pathname"

module Bridged
  module Capybara
    # An element of a page, which `native` names.
    class Node < ::Capybara::Driver::Node
      def initialize(driver, native, tag = nil, initial_cache = {})
        super(driver, native, initial_cache)
        @tag_name = tag
      end

      def find_xpath(query, **options) = driver.find("xpath", query, native, **options)

      def find_css(query, **options) = driver.find("css", query, native, **options)

      # ---- State ----

      def all_text = Text.all(ask("allText"))

      def visible_text = Text.visible(ask("visibleText"))

      def [](name) = ask("attribute", name.to_s)

      def value = ask("value")

      def style(styles) = ask("style", styles.map(&:to_s))

      def tag_name
        @tag_name ||= ask("tag")
      end

      def visible? = ask("isShown")

      def checked? = ask("isChecked")

      def selected? = ask("isSelected")

      def disabled? = ask("isDisabled")

      def obscured?(x: nil, y: nil) = ask("isObscured", x, y)

      def rect = Rect.new(*ask("rect").values_at("x", "y", "width", "height"))

      def path = ask("path")

      def shadow_root
        root = ask("shadowRoot")
        root && Node.new(driver, root, "ShadowRoot")
      end

      # ---- Pointer ----

      def click(keys = [], **options)
        return select_option if tag_name == "option" && keys.empty? && options.empty?

        point(keys, options, "click", button: "left")
      end

      def right_click(keys = [], **options) = point(keys, options, "mouseup", button: "right")

      def double_click(keys = [], **options)
        raise ArgumentError, "double_click doesn't support a delay option" if options[:delay].to_f.positive?

        point(keys, options, "dblclick", button: "left", count: 2)
      end

      def hover
        driver.input([Keys.move(aim("mousemove", misses: true))])
        self
      end

      # Options of other drivers count for nothing.
      def drag_to(element, html5: nil, delay: 0.05, drop_modifiers: [], **)
        keys = Array(drop_modifiers)
        html5 = ask("isDraggable") if html5.nil?
        return driver.wait_in_page("dragByScript", native, reference(element), delay * 1000, modifiers(keys)) if html5

        # To aim at the end may scroll the page, and so move the start.
        element.aim("mouseup", misses: true)
        start = aim("mouseup", misses: true)
        finish = element.aim("mouseup", misses: true)
        if start == aim("mouseup", misses: true)
          driver.input(Keys.drag(start, finish, keys: keys), settles: true)
        else
          driver.wait_in_page("dragByMouseEvents", native, reference(element), modifiers(keys))
        end
      end

      def drop(*args)
        files, strings = args.flatten.partition { |arg| arg.is_a?(String) || arg.is_a?(Pathname) }
        items = strings.flat_map { |types| types.map { |type, data| { type: type, data: data } } }
        ask("drop", items, files.map { |path| upload(path) })
      end

      def scroll_by(x, y) = ask("scrollBy", x, y)

      def scroll_to(element, location, position = nil)
        if element.is_a?(Node)
          element.scroll_into(location)
        elsif location.is_a?(Symbol)
          ask("scrollToPlace", location)
        else
          ask("scrollTo", *position)
        end
        self
      end

      def trigger(event) = driver.act_by_script { ask("trigger", event.to_s) }

      # ---- Keyboard ----

      def send_keys(*keys)
        driver.app.steps.about(ask("focus"))
        driver.input(Keys.steps(keys), settles: true)
      end

      # @option options [Symbol, Array] :clear :none appends, :backspace deletes with as many keys, an array is of keys that
      #   are pressed before
      def set(value, **options)
        kind = ask("kind")
        driver.app.steps.about("#{kind["label"]}#{" to #{value.inspect[0, 80]}" unless kind["type"] == "password"}")
        if value.is_a?(Array) && !kind["isMultiple"]
          raise ArgumentError, "Value cannot be an Array when 'multiple' attribute is not present. Not a #{value.class}"
        end

        case kind["tag"]
        when "input" then set_input(kind, value, options)
        when "textarea" then type(value.to_s, **options)
        else edit(value.to_s, **options) if kind["isEditable"]
        end
      end

      def select_option = ask_and_settle("selectOption", true)

      def unselect_option = ask_and_settle("selectOption", false)

      # These are steps of a trace.
      %i[click right_click double_click hover drag_to drop set send_keys select_option unselect_option].each do |action|
        plain = instance_method(action)
        define_method(action) do |*values, **options|
          driver.app.steps.add(action.to_s.tr("_", " ")) { plain.bind_call(self, *values, **options) }
        end
      end

      def ==(other)
        other.is_a?(Node) && native == other.native
      end

      Rect = Struct.new(:x, :y, :width, :height)

      protected

      # Brings the element into view, and returns where it is. The page waits for an event that the input will cause.
      def aim(type, x: nil, y: nil, centre: false, misses: false)
        place = ask("aim", x, y, centre, misses, type)
        driver.app.steps.about(place.delete("label"))
        place
      end

      def scroll_into(location)
        raise ArgumentError, "Invalid scroll_to location: #{location}" unless %i[top bottom center].include?(location)

        ask("scrollToElement", location)
      end

      private

      def ask(method, *values) = driver.page.node(method, native, *values)

      def ask_and_settle(method, *values)
        driver.app.steps.about(ask(method, *values))
        driver.settle(waits: false)
      end

      def reference(node) = { "bridged.node" => node.native }

      def modifiers(keys) = keys.map { |key| Keys.name(key).downcase }

      def point(keys, options, type, **input)
        x, y = options.values_at(:x, :y)
        press = lambda do
          point = aim(type, x: x, y: y, centre: options[:offset] == :center)
          driver.input(Keys.click(point, keys: keys, delay: options[:delay].to_f, **input), settles: true)
        end
        is_seen = press.call
        press.call if is_seen == false && driver.loses_input? && !disabled?
      end

      def set_input(kind, value, options)
        case kind["type"]
        when "radio" then click
        when "checkbox" then click if value ^ kind["isChecked"]
        when "file" then attach(value)
        when "date", "time", "datetime-local", "month", "week" then set_time(kind["type"], value)
        when "color", "range" then ask("setByScript", value.to_s)
        else type(value.to_s, **options)
        end
      end

      # How the fields for times write their values.
      TIMES = { "date" => "%Y-%m-%d", "time" => "%H:%M", "datetime-local" => "%Y-%m-%dT%H:%M", "month" => "%Y-%m",
                "week" => "%G-W%V" }.freeze
      private_constant :TIMES

      def set_time(type, value)
        converts = type == "time" || type == "datetime-local" ? :to_time : :to_date
        text = if !value.is_a?(String) && value.respond_to?(converts) then value.public_send(converts).strftime(TIMES.fetch(type))
               else value.to_s
               end
        ask("setByScript", text)
      rescue ArgumentError => e
        raise ArgumentError, "#{e.message} It takes a date or a time of Ruby, or a text such as #{Time.now.strftime(TIMES.fetch(type))}."
      end

      # How many characters keys type. The rest of a longer text comes at once.
      TYPED = 60
      private_constant :TYPED

      def type(text, clear: nil, rapid: nil, **)
        if clear == :backspace
          ask("focus")
          return driver.input(Keys.steps([:end, *[:backspace] * value.to_s.length, text]), settles: true)
        elsif clear.is_a?(Array)
          return send_keys(*clear, text)
        elsif text.empty? && clear.nil?
          return ask("clear")
        end
        state = ask("beginTyping", clear.to_s)
        return unless state["isTyped"]

        found = type_parts(text, rapid)
        return unless driver.loses_input? && clear.nil? && lost?(found, text)

        ask("beginTyping", "")
        type_parts(text, rapid)
      end

      # Whether a field has another text because the page has seen fewer keys than were typed.
      def lost?(found, text)
        typed = text.length > TYPED ? 6 : text.length
        found.is_a?(Hash) && found["value"] != text && found["keys"] < typed
      end

      # The first characters and the last ones are typed, so that a page that listens to keys sees some.
      def type_parts(text, rapid)
        if rapid == false || (text.length <= TYPED && !rapid)
          driver.input(Keys.steps([text]), settles: text.include?("\n"))
        else
          driver.input(Keys.steps([text[0, 3]]))
          ask("insert", text[3...-3].to_s)
          driver.input(Keys.steps([text[-3..]])) if text.length > 6
        end
        arrives(text) unless text.include?("\n")
      end

      # Waits until the field has the text, so that what follows finds it there. A page that changes it costs this time.
      def arrives(text) = driver.wait_in_page("typed", native, text, 200)

      def edit(text, clear: nil, **)
        state = ask("beginTyping", clear.to_s)
        return unless state["isTyped"]
        return driver.input(Keys.steps([:backspace])) if text.empty?

        driver.input(Keys.steps([text]))
        arrives(text) unless text.include?("\n")
      end

      def attach(value)
        paths = value.to_s.empty? ? [] : Array(value)
        ask("attach", paths.map { |path| upload(path) })
      end

      def upload(path)
        full = File.expand_path(path.to_s)
        raise ArgumentError, "There is no file #{full}." unless File.file?(full)

        { name: File.basename(full), type: FileTypes.of(full), data: Base64.strict_encode64(File.binread(full)) }
      end
    end

    # The media types that browsers give to files.
    module FileTypes
      KNOWN = {
        ".txt" => "text/plain", ".html" => "text/html", ".htm" => "text/html", ".css" => "text/css",
        ".csv" => "text/csv", ".js" => "text/javascript", ".json" => "application/json", ".pdf" => "application/pdf",
        ".xml" => "text/xml", ".zip" => "application/zip", ".png" => "image/png", ".jpg" => "image/jpeg",
        ".jpeg" => "image/jpeg", ".gif" => "image/gif", ".webp" => "image/webp", ".svg" => "image/svg+xml",
        ".mp4" => "video/mp4", ".mp3" => "audio/mpeg"
      }.freeze
      private_constant :KNOWN

      def self.of(path) = KNOWN.fetch(File.extname(path).downcase, "")
    end

    # Texts as Capybara expects them.
    module Text
      module_function

      def all(text)
        text.gsub(/[\u200b\u200e\u200f]/, "").gsub(/[ \n\f\t\v\u2028\u2029]+/, " ")
            .gsub(/\A[[:space:]&&[^\u00a0]]+|[[:space:]&&[^\u00a0]]+\z/, "").tr("\u00a0", " ")
      end

      # page.js writes a space of a preformatted part as \u00a0, and the end of a line in it as \ue000.
      def visible(text)
        text.gsub(/[\u200b\u200e\u200f]/, "").gsub(/[ \t]+/, " ").gsub(/[ \n]*\n[ \n]*/, "\n")
            .gsub(/\A[[:space:]&&[^\u00a0]]+|[[:space:]&&[^\u00a0]]+\z/, "").tr("\u00a0\ue000", " \n")
      end
    end
  end
end
