import { Writable } from 'node:stream'

export interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

type Environment = Readonly<Record<string, string>>
type Run<Attach> = (
  args: readonly string[],
  environment: Environment,
  output: { stdout: Writable; stderr: Writable },
  attach?: Attach,
) => Promise<number>

/** Runs a command inside this process, to its end. */
export async function runCommand<Attach>(
  run: Run<Attach>,
  args: readonly string[],
  environment: Environment,
  attach?: Attach,
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += chunk
        done()
      },
    })
  const exitCode = await run(args, environment, { stdout: collect('stdout'), stderr: collect('stderr') }, attach)
  return { exitCode, ...written }
}
