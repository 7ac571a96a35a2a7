"""The pages of `app.py --demo`: those of the frameworks' own demo app, at the same paths. Each is a title and a body."""

LINKS = [
    ("/one", "How it works"), ("/slow", "Slow"), ("/long", "Long"), ("/nonexistent", "Missing"),
    ("/protected", "Protected"), ("/new", "Form in a modal"), ("/modal", "Modal"), ("/numbers", "Native screen"),
    ("/follow", "Redirect"), ("/files", "Files"), ("/reference", "Reference"), ("/scroll", "Anchors"),
    ("/bridge-form", "Form component"), ("/bridge-menu", "Menu component"), ("/bridge-overflow", "Overflow component"),
]
REFERENCE = ["turbo-drive", "turbo-frames", "turbo-streams", "turbo-native"]


def links(pairs):
    return "".join(f'<p><a href="{path}">{title}</a></p>' for path, title in pairs)


PAGES = {
    "/": ("Demo", links(LINKS) + '<a href="https://turbo.hotwired.dev" target="_blank">Another host</a>'),
    "/one": ("One", links([("/two", "Advance")])
             + '<p><a id="replace" href="/two?action=replace" data-turbo-action="replace">Replace</a></p>'
             + '<p><a id="refresh" href="/one" data-turbo-action="replace">Refresh</a></p>'),
    "/two": ("Two", links([("/", "Home")])),
    "/long": ("Long", '<p style="height: 5000px"></p>' + links([("/one", "The end")])),
    "/scroll": ("Scroll", '<a href="#end">The end</a><p style="height: 3000px"></p><p id="end">The end</p>'),
    "/modal": ("Modal", links([("/new", "Another modal"), ("/one", "A screen of main")])),
    "/new": ("New", '<form method="post" action="/new"><button id="save">Save</button></form>'),
    "/success": ("Success", "It worked"),
    "/redirected": ("Redirected", "You came from /follow"),
    "/files": ("Files", links([("/images/image.jpg", "An image")])),
    "/reference": ("Reference", links((f"/reference/{name}", name) for name in REFERENCE)),
    **{f"/reference/{name}": (name, "About it") for name in REFERENCE},
    "/numbers": ("Numbers", links([("/numbers/1", "1")])),
    "/numbers/1": ("Number 1", "One"),
    "/components": ("Components", links(LINKS[-3:])),
    "/resources": ("Resources", links([("/reference", "Reference")])),
    "/session/new": ("Sign in", '<form method="post" action="/signin"><button id="signin">Sign in</button></form>'),
    "/signin": ("Sign in", '<form method="post" action="/signin"><button id="signin">Sign in</button></form>'),
    "/bridge-form": ("Form component", '<form method="post" action="/bridge-form"><button id="submit">Submit</button></form>'
                     '<i data-bridge="form" data-bridge-title="Submit"></i>'),
    "/bridge-menu": ("Menu component", '<i data-bridge="menu" data-bridge-title="Menu"></i>'),
    "/bridge-overflow": ("Overflow component", '<i data-bridge="overflow-menu" data-bridge-title="More"></i>'),
}
# Forms, and a link, that lead elsewhere.
REDIRECTS = {"/follow": "/redirected", "/new": "/success", "/bridge-form": "/success", "/signin": "/"}
