import { setTimeout as delay } from 'node:timers/promises'
import { statusResponse } from '@dexfeed/contract'
import { SECOND } from '@dexfeed/dex'
import { type Check, checkApiEnvironment, command, type ProcessSettings, type ProgramContext } from '@dexfeed/service'
import { Command } from 'commander'
import { reasonOf } from '../loops/loop.ts'
import { statusText } from '../status/status-text.ts'
import { readCommandLine } from './command-line.ts'

const REPEAT_MS = 2 * SECOND
const RESPONSE_MS = 10 * SECOND
const CLEAR = '\u001b[H\u001b[2J'

type Stdout = ProgramContext<StatusSettings>['output']['stdout']

interface StatusSettings extends ProcessSettings {
  url: string
  watch: boolean
}

export const run = command('status', checkStatus, start, { logTo: 'stderr' })

async function start({ settings, output, shutdown }: ProgramContext<StatusSettings>): Promise<void> {
  void show(settings, output.stdout, shutdown.signal).then(
    (ready) => shutdown.begin('shown', ready ? 0 : 1),
    (error: unknown) => {
      if (shutdown.signal.aborted) return
      output.stderr.write(`status: ${settings.url} ${whyNot(error)}\n`)
      shutdown.begin('not shown', 1)
    },
  )
}

async function show({ url, watch }: StatusSettings, stdout: Stdout, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_MS)]) })
    const body: unknown = await response.json().catch(() => null)
    const { data: status } = statusResponse.safeParse(body)
    if (!response.ok || status === undefined) throw new NotStatus(response.status)
    stdout.write(`${watch && stdout.isTTY ? CLEAR : ''}${statusText(status)}`)
    if (!watch) return status.ready
    await delay(REPEAT_MS, undefined, { signal })
  }
}

/** Another program, or another version of dexfeed, has responded. */
class NotStatus extends Error {
  override readonly name = 'NotStatus'

  constructor(status: number) {
    super(`is not the status of a dexfeed API of this version (HTTP ${status})`)
  }
}

const WHERE = 'PORT and HOST, or --url, say where the API runs'

function whyNot(error: unknown): string {
  if (error instanceof NotStatus) return `${error.message}: ${WHERE}`
  // fetch() puts the reason in the cause.
  const { cause = error } = error as { cause?: unknown }
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const { code } = first as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return `does not respond, nothing listens there: ${WHERE}`
  return `does not respond (${reasonOf(first)}): ${WHERE}`
}

function checkStatus(args: readonly string[]): Check<StatusSettings> {
  return (environment, readFile) => {
    const line = new Command('status')
      .option('--url <url>', 'of the API; default: by HOST and PORT')
      .option('--watch', 'show it again every 2 seconds')
    const read = readCommandLine<{ url?: string; watch?: true }>(line, args)
    if ('problems' in read) return read
    const { settings, problems } = checkApiEnvironment(environment, readFile)
    if (settings === undefined) return { problems }
    const { host, port } = settings
    const own = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`
    const given = read.options.url ?? own
    if (!URL.canParse('/status', given)) return { problems: [`status: ${JSON.stringify(given)} is not a URL`] }
    const url = new URL('/status', given).href
    return { settings: { logLevel: 'fatal', warnings: [], url, watch: read.options.watch === true } }
  }
}
