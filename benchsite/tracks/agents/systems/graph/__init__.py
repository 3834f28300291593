"""The systems as LangGraph graphs; the only importers of langgraph, loaded in the processes of systems only."""
