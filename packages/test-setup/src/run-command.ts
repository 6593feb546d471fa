import { Writable } from 'node:stream'

export interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

type Environment = Readonly<Record<string, string>>
type Run = (
  args: readonly string[],
  environment: Environment,
  output: { stdout: Writable; stderr: Writable },
) => Promise<number>

export async function runCommand(run: Run, args: readonly string[], environment: Environment): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += chunk
        done()
      },
    })
  const exitCode = await run(args, environment, { stdout: collect('stdout'), stderr: collect('stderr') })
  return { exitCode, ...written }
}
