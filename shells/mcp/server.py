"""The protocol's side: tools and resources over one repository, by the official SDK."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

import codequarry
from codequarry.errors import QuarryError
from codequarry.shells.mcp.outcome import TEMPLATE, Link, Outcome, Report, place_of, sendable
from codequarry.shells.mcp.repository import Repository
from codequarry.shells.mcp.tools import INSTRUCTIONS, TOOLS, Tool
from codequarry.shells.service.parameters import object_schema

Context = ServerRequestContext[Any]

_AT_ONCE = 8  # calls that are worked on at the same time
_BY_NAME = {tool.name: tool for tool in TOOLS}


def make_server(repository: Repository) -> Server[Any]:
    """The server of one repository; it has looked at nothing yet."""
    workers = anyio.CapacityLimiter(_AT_ONCE)

    async def list_tools(_: Context, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = _BY_NAME.get(params.name)
        if tool is None:
            known = ", ".join(_BY_NAME)
            raise MCPError(
                types.INVALID_PARAMS, f"there is no tool {params.name!r}; known: {known}"
            )
        report = _reporter(context)
        work = partial(_outcome, tool, repository, params.arguments or {}, report)
        return await anyio.to_thread.run_sync(work, limiter=workers, abandon_on_cancel=True)

    async def list_templates(_: Context, __: object) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=TEMPLATE,
            name="code",
            title="Lines of an indexed file",
            description="Read from disk now; #L10-L20 after the path gives those lines.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def list_resources(_: Context, __: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def read_resource(
        _: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        work = partial(_resource, repository, str(params.uri))
        return await anyio.to_thread.run_sync(work, limiter=workers, abandon_on_cancel=True)

    return Server(
        "codequarry",
        version=codequarry.__version__,
        title="codequarry",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=object_schema(tool.parameters),
        output_schema=tool.output_schema(),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads, destructive_hint=False, open_world_hint=False
        ),
    )


def _reporter(context: Context) -> Report:
    """Progress from a working thread to the client, if the client asked for it."""

    def report(done: float, total: float | None, what: str) -> None:
        anyio.from_thread.run(context.session.report_progress, done, total, sendable(what))

    return report


def _outcome(
    tool: Tool, repository: Repository, arguments: Mapping[str, Any], report: Report
) -> types.CallToolResult:
    """The result of a call; whatever goes wrong is a result too, so that the model can read it."""
    try:
        return _told(tool.call(repository, arguments, report))
    except QuarryError as error:
        return _failed(error)
    except Exception as error:  # the border of a tool: told on stderr, the session goes on
        traceback.print_exception(error)
        kind = type(error).__name__
        return _failed(
            QuarryError(f"something broke inside ({kind})", "the server's log says more")
        )


def _told(outcome: Outcome) -> types.CallToolResult:
    content: list[types.ContentBlock] = [
        types.TextContent(type="text", text=sendable(outcome.text))
    ]
    content += [_linked(link) for link in outcome.links]
    return types.CallToolResult(content=content, structured_content=sendable(outcome.document))


def _linked(link: Link) -> types.ResourceLink:
    name = sendable(f"{link.path}:{link.start}-{link.end}")
    return types.ResourceLink(type="resource_link", uri=link.uri, name=name)


def _failed(error: QuarryError) -> types.CallToolResult:
    text = f"{error.message}. {error.hint}" if error.hint else error.message
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=sendable(text))],
        structured_content=sendable(error.envelope()),
        is_error=True,
    )


def _resource(repository: Repository, uri: str) -> types.ReadResourceResult:
    from codequarry.retrieval.reading import get_code  # with the server nothing is loaded

    place = place_of(uri)
    if place is None:
        raise MCPError(types.INVALID_PARAMS, "there is no such resource", {"uri": uri[:200]})
    try:
        span = get_code(repository.held.index.generation, *place)
    except QuarryError as error:
        told = sendable(error.envelope())
        raise MCPError(types.INVALID_PARAMS, sendable(error.message), told) from None
    contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=sendable(span.text))
    return types.ReadResourceResult(contents=[contents])
