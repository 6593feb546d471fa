/** Help texts by command. A benchmark's key is `bench <name>`. */
export const COMMANDS: Readonly<
  Record<string, { does: string; usage?: string; options?: string[][]; settings?: string[][] }>
>

/** Prints the help of a command and ends the process, if its arguments request it. */
export function helpIfRequested(command: string, args: readonly string[]): void
