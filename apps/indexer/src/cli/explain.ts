// Explains transactions: their hops, what was dropped and why, their trades. Needs a node, but no database.
import { once } from 'node:events'
import { openChain } from '@dexfeed/chain'
import { maskUrls, type ProgramContext, runProgram } from '@dexfeed/service'
import { openExplainer } from '../explain/explain-transactions.ts'
import { explanationJson } from '../explain/explanation-json.ts'
import { explanationText } from '../explain/explanation-text.ts'
import { reasonOf } from '../loops/loop.ts'
import { checkExplain, type ExplainSettings } from './explain-arguments.ts'

runProgram('explain', checkExplain(process.argv.slice(2)), start, { logTo: 'stderr' })

async function start({ settings, log, shutdown }: ProgramContext<ExplainSettings>): Promise<void> {
  const { network, rpcUrls, rates, computeUnits, deployment } = settings.network
  const chain = openChain({ network, urls: rpcUrls, rates, computeUnits, topics: [], pollMs: settings.pollMs, log })
  shutdown.add('chain', () => chain.close())
  // A reader that has seen enough, as head, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    shutdown.begin('the reader is gone', error.code === 'EPIPE' ? 0 : 1)
  })
  const { responding, down } = await chain.verifyChainId()
  if (responding === 0) throw new Error(`no endpoint of ${network} answers: ${down.join(', ')}`)
  // Explaining is not starting: a Ctrl-C must not wait for it.
  void explain(settings, async () => openExplainer(chain, deployment), shutdown.signal).then(
    (problems) => shutdown.begin('explained', problems === 0 ? 0 : 1),
    (error: unknown) => {
      if (shutdown.signal.aborted) return
      process.stderr.write(`explain: ${maskUrls(reasonOf(error))}\n`)
      shutdown.begin('explaining failed', 1)
    },
  )
}

/** Prints one after the other; how many could not be explained. */
async function explain(
  { network: { network }, hashes, json }: ExplainSettings,
  open: () => ReturnType<typeof openExplainer>,
  signal: AbortSignal,
): Promise<number> {
  const { explain: explained, token } = await open()
  let problems = 0
  for await (const one of explained(hashes)) {
    signal.throwIfAborted()
    if ('problem' in one) {
      problems++
      process.stderr.write(`explain: ${one.hash}: ${one.problem}\n`)
      continue
    }
    if (!one.succeeded) process.stderr.write(`explain: ${one.hash}: it was reverted: nothing was traded\n`)
    const text = json ? `${explanationJson(one, network, token)}\n` : `${explanationText(one, network, token)}\n`
    if (!process.stdout.write(text)) await once(process.stdout, 'drain', { signal })
  }
  return problems
}
