"""Groups of verbs, which list each verb with a whole sentence."""

from __future__ import annotations

import re

import click

from aiq.errors import did_you_mean


class Verbs(click.Group):
    """A group that answers an unknown verb with the closest known one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            verbs = self.list_commands(ctx)
            raise click.UsageError(
                f"there is no verb {args[0]!r}{did_you_mean(args[0], verbs)}; allowed are {', '.join(verbs)}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs, each with the first sentence of its help, whole."""
        verbs = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, sentence(verb)) for name, verb in verbs if verb is not None and not verb.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def sentence(command: click.Command) -> str:
    """Return the first sentence of a command's help, or its first paragraph if that is one sentence."""
    paragraph = " ".join((command.help or "").split("\n\n")[0].replace("``", "").split())
    return re.split(r"(?<=[.])\s", paragraph, maxsplit=1)[0].rstrip(".")
