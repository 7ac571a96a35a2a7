#!/usr/bin/env node
// Writes the manual pages of a `bridged` into a folder: bridged.1, and one for each command, such as bridged-serve.1.
//
//   scripts/manual.mjs EXECUTABLE FOLDER DATE
//
// They come from the program's own help, as `--experimental-dump-help` prints it.
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"

const [executable, folder, date] = process.argv.slice(2)
if (!date) throw new Error("usage: scripts/manual.mjs EXECUTABLE FOLDER DATE")
const { command } = JSON.parse(execFileSync(executable, ["--experimental-dump-help"], { maxBuffer: 1 << 24 }))

/** Text for troff: a backslash is an escape, a hyphen would become a dash, and a dot at the start is a request. */
const text = value => (value ?? "").trim().replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(?=[.'])/gm, "\\&")
/** Lines that begin with a space are examples: they keep their form. */
const paragraphs = value => text(value).replace(/((^|\n) .*)+/g, lines => `\n.nf${lines.startsWith("\n") ? "" : "\n"}${lines}\n.fi`)
const bold = value => `\\fB${text(value)}\\fR`
const shown = list => (list ?? []).filter(item => item.shouldDisplay)

const isPositional = argument => argument.kind === "positional"

/** @returns {string} an option with its value, such as `--port <number>` */
const synopsis = argument => {
  const value = `\\fI${text(argument.valueName ?? "value")}\\fR`
  if (isPositional(argument)) return value
  const names = argument.names.map(({ kind, name }) => bold(kind === "long" ? `--${name}` : `-${name}`))
  return names.join(", ") + (argument.kind === "option" ? ` ${value}` : "")
}

const describe = argument => [
  ".TP", synopsis(argument),
  ...[argument.abstract, argument.discussion].filter(Boolean).map(text).join("\n\n").split("\n").map(line => line || ".sp"),
]

const title = path => path.join("-")
const page = (path, { abstract, discussion, arguments: list, subcommands }) => {
  const options = shown(list)
  const commands = shown(subcommands)
  const lines = [
    `.TH "${title(path).toUpperCase()}" "1" "${date}" "bridged" "bridged"`,
    ".SH NAME", `${text(title(path))} \\- ${text(abstract?.replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    [bold(path.join(" ")), commands.length && "\\fIcommand\\fR", options.length && "[\\fIoptions\\fR]"].filter(Boolean).join(" "),
  ]
  if (discussion) lines.push(".SH DESCRIPTION", paragraphs(discussion))
  const groups = { ARGUMENTS: options.filter(isPositional), OPTIONS: options.filter(option => !isPositional(option)) }
  for (const [name, members] of Object.entries(groups)) {
    if (members.length) lines.push(`.SH ${name}`, ...members.flatMap(describe))
  }
  if (commands.length) {
    lines.push(".SH COMMANDS")
    for (const { commandName, abstract } of commands) {
      lines.push(".TP", `${bold(title([...path, commandName]))}(1)`, text(abstract))
    }
  }
  if (path.length === 1) {
    lines.push(".SH FILES", ".TP", "/usr/share/doc/bridged/docs", text("The documentation, with the pages that hints name."))
  }
  if (path.length > 1) lines.push(".SH SEE ALSO", `${bold(title(path.slice(0, -1)))}(1)`)
  writeFileSync(`${folder}/${title(path)}.1`, lines.join("\n") + "\n")
  for (const command of commands) if (command.commandName !== "help") page([...path, command.commandName], command)
}
page([command.commandName], command)
