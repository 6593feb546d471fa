import { createClient } from '@dexfeed/client'
import { command, type ProgramContext } from '@dexfeed/service'
import { type CompareSettings, checkCompare } from './compare-arguments.ts'
import { compareSources, rowJson, rowText } from './compare-sources.ts'

export const run = command('compare', (args) => checkCompare(args, Date.now()), start, { logTo: 'stderr' })

type Stdout = ProgramContext<CompareSettings>['output']['stdout']

async function start({ settings, output, shutdown }: ProgramContext<CompareSettings>): Promise<void> {
  // Not awaited: start-up must end, so that Ctrl-C works.
  void compare(settings, output.stdout, shutdown.signal).then(
    (unexplained) => shutdown.begin('compared', unexplained === 0 ? 0 : 1),
    (error: unknown) => {
      if (shutdown.signal.aborted) return
      output.stderr.write(`compare: ${error instanceof Error ? error.message : String(error)}\n`)
      shutdown.begin('not compared', 1)
    },
  )
}

async function compare(settings: CompareSettings, stdout: Stdout, signal: AbortSignal): Promise<number> {
  const { source, network, day, pools, url, json } = settings
  const client = createClient({ baseUrl: url })
  let rows = 0
  let differing = 0
  let unexplained = 0
  for await (const row of compareSources(client, source, { network, day, signal }, pools)) {
    stdout.write(json ? rowJson(row) : rowText(row))
    rows++
    if (row.difference.reason !== null) differing++
    if (!row.difference.isExplained) unexplained++
  }
  if (!json) {
    const time = source.isOfLastDay ? 'the last 24 hours' : day
    stdout.write(
      `${network}, ${time}: ${rows} compared, ${differing} differ, ${unexplained} of them for no known reason\n`,
    )
  }
  return unexplained
}
