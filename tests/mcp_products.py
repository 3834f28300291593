"""Servers of the official package `mcp` whose tools answer in the shapes of three memory servers: `python mcp_products.py NAME`.

All three find notes by words; `server-memory` by the whole question as a substring. The names of tools and arguments and the forms of
the answers are those of the products; see content/docs/measure-an-mcp-server.md.
"""

import json
import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

NAME = sys.argv[1]
NOTES: dict[str, str] = {}
server = MCPServer(NAME)


def by_words(query: str) -> list[str]:
    asked = set(query.lower().split())
    shared = {one: len(asked & set(text.lower().split())) for one, text in NOTES.items()}
    return sorted((one for one in shared if shared[one]), key=lambda one: -shared[one])


def server_memory() -> None:
    @server.tool()
    def create_entities(entities: list[dict[str, Any]]) -> dict[str, Any]:
        NOTES.update((one["name"], "\n".join(one["observations"])) for one in entities)
        return {"entities": entities}

    @server.tool()
    def delete_entities(entityNames: list[str]) -> dict[str, Any]:  # noqa: N803 - the name in its schema
        for one in entityNames:
            NOTES.pop(one, None)
        return {"success": True, "message": "Entities deleted successfully"}

    @server.tool()
    def search_nodes(query: str) -> dict[str, Any]:
        found = [one for one, text in NOTES.items() if query.lower() in text.lower()]
        entities = [{"name": one, "entityType": "note", "observations": [NOTES[one]]} for one in found]
        return {"entities": entities, "relations": []}


def mcp_memory_service() -> None:
    @server.tool(structured_output=False)
    def memory_store(content: str, metadata: dict[str, Any], conversation_id: str = "") -> str:
        if content in NOTES.values():
            raise ToolError("Error storing memory: Duplicate content detected (exact match)")
        NOTES[metadata["tags"][0]] = content
        return "Memory stored successfully (hash: 0123456789...)"

    @server.tool(structured_output=False)
    def memory_search(query: str, limit: int = 10) -> str:
        if query == "fail":
            return "Error searching memories: no index"
        found = by_words(query)[:limit]
        if not found:
            return f"No memories found for query: '{query}'"
        memories = [
            f"{place}. {NOTES[one]}\n   Hash: {place:064x}\n   Created: 2026-11-27T12:00:00Z [{one}]"
            for place, one in enumerate(found, 1)
        ]
        return f"Found {len(found)} memories (mode: semantic) for query: '{query}'\n\n" + "\n\n".join(
            memories
        )


def basic_memory() -> None:
    @server.tool()
    def write_note(title: str, content: str, directory: str) -> str:
        NOTES[title] = content
        return f"# Created note\nfile_path: {directory}/{title}.md\npermalink: main/{directory}/{title}"

    @server.tool()
    def search_notes(query: str, page_size: int = 10, output_format: str = "text") -> str:
        if query == "fail":
            return "# Search Failed - Invalid Syntax\n\nThe search query 'fail' contains invalid syntax."
        results = [
            {"title": one, "type": "entity", "score": -1e-06, "file_path": f"notes/{one}.md"}
            for one in by_words(query)[:page_size]
        ]
        return json.dumps({"results": results, "current_page": 1, "page_size": page_size})


{
    "server-memory": server_memory,
    "mcp-memory-service": mcp_memory_service,
    "basic-memory": basic_memory,
}[NAME]()
server.run()
