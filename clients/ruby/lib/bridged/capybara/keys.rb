# frozen_string_literal: true

module Bridged
  module Capybara
    # What a user does with keys and a mouse, as steps of `page.input` (docs/control.md).
    module Keys
      module_function

      # Capybara's names of keys, and those of KeyboardEvent.key.
      NAMES = {
        enter: "Enter", return: "Enter", tab: "Tab", escape: "Escape", backspace: "Backspace", delete: "Delete",
        insert: "Insert", home: "Home", end: "End", page_up: "PageUp", page_down: "PageDown", up: "ArrowUp",
        down: "ArrowDown", left: "ArrowLeft", right: "ArrowRight", arrow_up: "ArrowUp", arrow_down: "ArrowDown",
        arrow_left: "ArrowLeft", arrow_right: "ArrowRight", space: " ", shift: "Shift", control: "Control",
        ctrl: "Control", alt: "Alt", meta: "Meta", command: "Meta", cmd: "Meta", left_shift: "Shift",
        left_control: "Control", left_alt: "Alt", semicolon: ";", equals: "=", multiply: "*", add: "+",
        subtract: "-", decimal: ".", divide: "/",
        **(0..9).to_h { |digit| [:"numpad#{digit}", digit.to_s] }, **(1..12).to_h { |key| [:"f#{key}", "F#{key}"] }
      }.freeze
      MODIFIERS = %w[Shift Control Alt Meta].freeze
      private_constant :NAMES, :MODIFIERS

      # The steps that press keys as Capybara's `send_keys` names them: texts, symbols, and arrays whose modifiers are held
      # down until their end. A modifier beside others is held down until the end of all.
      def steps(keys)
        held = []
        pressed = keys.flat_map do |key|
          next chord(key, held) if key.is_a?(Array)

          press(key, held)
        end
        pressed + release(held)
      end

      def chord(keys, held)
        own = []
        keys.flat_map { |key| key.is_a?(Array) ? chord(key, held + own) : press(key, own, held) } + release(own)
      end

      # A text, or a key. A modifier is added to those that are held down.
      def press(key, held, others = [])
        return text(key.to_s, held + others) unless key.is_a?(Symbol)

        name = name(key)
        return stroke(name) unless MODIFIERS.include?(name)

        held << name
        [{ type: "keyDown", key: name }]
      end

      def text(text, held)
        return [] if text.empty?
        return [{ type: "text", text: text }] if held.empty?

        text.chars.flat_map { |character| stroke(held.include?("Shift") ? character.upcase : character) }
      end

      def stroke(key)
        %w[keyDown keyUp].map { |type| { type: type, key: key } }
      end

      def release(held)
        held.reverse.map { |key| { type: "keyUp", key: key } }
      end

      # Clicks at a point, with keys held down.
      def click(point, button: "left", count: 1, keys: [], delay: 0)
        names = keys.map { |key| name(key) }
        clicks = (1..count).flat_map do |number|
          pause = delay.positive? ? [{ type: "pause", ms: delay * 1000 }] : []
          [{ type: "press", button: button, clicks: number }, *pause, { type: "release", button: button, clicks: number }]
        end
        [move(point), *names.map { |key| { type: "keyDown", key: key } }, *clicks, *release(names)]
      end

      # Drags from one point to another in several steps, because a page does not take a single jump for a drag.
      def drag(from, to, keys: [])
        names = keys.map { |key| name(key) }
        way = (1..5).map do |step|
          move("x" => from["x"] + ((to["x"] - from["x"]) * step / 5.0), "y" => from["y"] + ((to["y"] - from["y"]) * step / 5.0))
        end
        [move(from), { type: "press" }, *way, *names.map { |key| { type: "keyDown", key: key } },
         { type: "release" }, *release(names)]
      end

      def move(point)
        { type: "move", x: point["x"], y: point["y"] }
      end

      def name(key)
        NAMES[key.to_sym] or raise ArgumentError, "There is no key #{key.inspect}. The keys are #{NAMES.keys.join(", ")}."
      end
    end
  end
end
