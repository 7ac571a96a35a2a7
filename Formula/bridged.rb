# brew tap NAME/bridged URL-OF-THIS-REPOSITORY && brew install NAME/bridged/bridged
class Bridged < Formula
  desc "Native half of a hybrid app, without the phone"
  homepage "https://git.example.com/bridged"
  url "https://git.example.com/bridged.git", tag: "v0.1.0"
  license "MIT"
  head "https://git.example.com/bridged.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "hiredis"
  depends_on "jansson"
  depends_on "libuv"
  depends_on "libwebsockets"
  depends_on "openssl@3"
  depends_on macos: :sequoia

  uses_from_macos "curl"
  uses_from_macos "libedit"
  uses_from_macos "sqlite"

  on_linux do
    depends_on "swift" => :build
  end

  def install
    # Homebrew has a sandbox of its own, in which that of SwiftPM cannot start.
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "bridged"
    bin.install ".build/release/bridged"
    pkgshare.install Dir[".build/release/bridged_WebFiles.{bundle,resources}/*"]
    generate_completions_from_executable(bin/"bridged", "--generate-completion-script")
  end

  test do
    assert_match "bridged #{version}", shell_output("#{bin}/bridged --version")
  end
end
