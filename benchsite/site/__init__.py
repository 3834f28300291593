"""From pages to HTML: templates (`render`), the frame around them (`shell`), charts, and the site's own pages.

Nothing is imported here: a caller that only renders pays nothing for mkdocs.
"""
