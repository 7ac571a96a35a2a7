# frozen_string_literal: true

module Bridged
  VERSION = "0.1.0"
end
