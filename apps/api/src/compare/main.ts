// Compares prices and volumes of a running API with another source.
import { createClient } from '@dexfeed/client'
import { type ProgramContext, runProgram } from '@dexfeed/service'
import { type CompareSettings, checkCompare } from './compare-arguments.ts'
import { compareSources, rowJson, rowText } from './compare-sources.ts'

runProgram('compare', checkCompare(process.argv.slice(2), Date.now()), start, { logTo: 'stderr' })

async function start({ settings, shutdown }: ProgramContext<CompareSettings>): Promise<void> {
  // Do not await it: start-up must end, so that Ctrl-C works.
  void compare(settings, shutdown.signal).then(
    (unexplained) => shutdown.begin('compared', unexplained === 0 ? 0 : 1),
    (error: unknown) => {
      if (shutdown.signal.aborted) return
      process.stderr.write(`compare: ${error instanceof Error ? error.message : String(error)}\n`)
      shutdown.begin('not compared', 1)
    },
  )
}

/** Prints the rows. Returns how many differ for no known reason. */
async function compare(settings: CompareSettings, signal: AbortSignal): Promise<number> {
  const { source, network, day, pools, url, json } = settings
  const client = createClient({ baseUrl: url })
  let [rows, differing, unexplained] = [0, 0, 0]
  for await (const row of compareSources(client, source, { network, day, signal }, pools)) {
    process.stdout.write(json ? rowJson(row) : rowText(row))
    rows++
    if (row.difference.reason !== null) differing++
    if (!row.difference.isExplained) unexplained++
  }
  if (!json) {
    const time = source.isOfLastDay ? 'the last 24 hours' : day
    process.stdout.write(
      `${network}, ${time}: ${rows} compared, ${differing} differ, ${unexplained} of them for no known reason\n`,
    )
  }
  return unexplained
}
