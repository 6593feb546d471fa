import { type BlockHeader, MINUTE, SECOND } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { Session } from '../endpoints/session.ts'
import { ChainError } from '../errors/chain-error.ts'
import type { EndpointFailure } from '../errors/endpoint-failure.ts'
import { headerRequest } from '../json-rpc/requests.ts'
import { readHeader } from '../json-rpc/rpc-block.ts'
import { MalformedAnswer, readQuantity } from '../json-rpc/rpc-value.ts'
import type { Latest } from './watch-heads.ts'

/** What is asked about the end of the chain. */
export interface HeadReader {
  head(): Promise<BlockHeader>
  finalized(): Promise<number | null>
  /** For polling: one cheap question, one attempt. */
  latest(exact: boolean): Promise<Latest>
}

/** How often the other endpoints are compared with the one in use. */
const COMPARE_EVERY = 10 * SECOND
/** An endpoint this far behind another one is stuck, not just slower. */
const STUCK_BLOCKS = 50
const STUCK_SECONDS = 30
const SET_ASIDE = MINUTE

/**
 * The head as the endpoint in use sees it, so that what follows can be read from there: jumping between endpoints by
 * height alone would jump between their forks too. Only one that is far behind another is set aside.
 */
export function headReader(pool: EndpointPool, clock: Clock, log: ChainLog): HeadReader {
  let comparedAt = Number.NEGATIVE_INFINITY

  const compare = async (used: Endpoint, head: BlockHeader): Promise<void> => {
    const others = pool.endpoints.filter((e) => e !== used && e.coolUntil <= clock.now())
    if (others.length === 0 || clock.now() - comparedAt < COMPARE_EVERY) return
    comparedAt = clock.now()
    const heads = await Promise.all(others.map((e) => pool.once(e, 'live', askHead).catch(() => head)))
    const best = heads.reduce((a, b) => (b.number > a.number ? b : a), head)
    const behind = best.number - head.number
    if (behind < STUCK_BLOCKS && (behind <= 0 || best.timestamp - head.timestamp < STUCK_SECONDS)) return
    log.warn({ endpoint: used.masked, head: head.number, best: best.number }, 'rpc endpoint is stuck: set aside')
    pool.setAside(used, SET_ASIDE)
  }
  /** The comparison runs beside the question, which does not wait for slower endpoints: the next one profits. */
  const compared = (used: Endpoint, head: BlockHeader): BlockHeader => {
    void compare(used, head)
    return head
  }

  const head = async (): Promise<BlockHeader> => {
    const found = await pool.run({ what: 'the latest block', priority: 'live' }, async (session) => ({
      used: session.endpoint,
      header: await askHead(session),
    }))
    return compared(found.used, found.header)
  }

  return {
    head,
    finalized: () =>
      pool.run({ what: 'the finalized block', priority: 'live' }, (session) => askFinalized(session, log)),
    latest: async (exact) => {
      const used = pool.endpoints.find((e) => e.coolUntil <= clock.now())
      if (!used) throw new ChainError('every endpoint is set aside', { retryable: true })
      if (!exact) return pool.once(used, 'live', askNumber)
      const { number, hash } = compared(used, await pool.once(used, 'live', askHead))
      return { number, hash }
    },
  }
}

async function askHead(session: Session): Promise<BlockHeader> {
  const { results } = await session.ask([headerRequest('latest')])
  return expectHead(readHeader(results[0]))
}

function expectHead(header: BlockHeader | null): BlockHeader {
  if (!header) throw new MalformedAnswer({ field: 'latest block', value: header })
  return header
}

async function askNumber(session: Session): Promise<Latest> {
  const { results } = await session.ask([{ method: 'eth_blockNumber', params: [] }])
  return { number: readQuantity(results[0], 'eth_blockNumber'), hash: null }
}

async function askFinalized(session: Session, log: ChainLog): Promise<number | null> {
  const question = headerRequest('finalized')
  const [finalized, latest] = (await session.send([question, headerRequest('latest')])).replies
  if (!finalized || !latest) return null
  if ('error' in finalized) {
    const failure = session.failure(question, finalized)
    if (failure && isTrouble(failure)) throw failure
    return null
  }
  const number = readHeader(finalized.result)?.number ?? null
  const head = 'result' in latest ? readHeader(latest.result) : null
  if (number === null || head === null || number <= head.number) return number
  log.warn(
    { endpoint: session.endpoint.masked, finalized: number, latest: head.number },
    'finalized above latest: clamped',
  )
  return head.number
}

/** Any other error means that the node does not know the tag. */
function isTrouble({ verdict }: EndpointFailure): boolean {
  return verdict.kind === 'rate' || verdict.kind === 'dead' || verdict.kind === 'timeout'
}
