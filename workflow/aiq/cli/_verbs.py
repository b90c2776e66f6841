"""Groups of verbs, which list each verb with a whole sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import click

from aiq.errors import did_you_mean


class Verbs(click.Group):
    """A group that answers an unknown verb with the closest known one.

    Attributes:
        sections: heading -> verbs; those that stand nowhere come under the last one.
        moved: verb of before -> what does its work.
    """

    sections: Mapping[str, Sequence[str]] = {"Commands": ()}
    moved: Mapping[str, str] = {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            if args[0] in self.moved:
                raise click.UsageError(f"the verb {args[0]!r} is gone; call {self.moved[args[0]]}")
            verbs = self.list_commands(ctx)
            raise click.UsageError(
                f"there is no verb {args[0]!r}{did_you_mean(args[0], verbs)}; allowed are {', '.join(verbs)}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs by section, each with the first sentence of its help, whole."""
        verbs = {name: verb for name in self.list_commands(ctx) if (verb := self.get_command(ctx, name)) is not None}
        named = [name for names in self.sections.values() for name in names]
        rest = [name for name in verbs if name not in named]
        for place, (heading, names) in enumerate(self.sections.items(), 1):
            further = rest if place == len(self.sections) else ()
            rows = [(name, sentence(verbs[name])) for name in (*names, *further) if name in verbs]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def sentence(command: click.Command) -> str:
    """Return the first sentence of a command's help, or its first paragraph if that is one sentence."""
    paragraph = " ".join((command.help or "").split("\n\n")[0].replace("``", "").split())
    return re.split(r"(?<=[.])\s", paragraph, maxsplit=1)[0].rstrip(".")
