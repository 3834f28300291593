"""BrowseComp-Plus: questions over a fixed corpus with tools for search and documents; sealed."""
