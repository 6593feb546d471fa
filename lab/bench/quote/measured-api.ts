import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, type Shutdown } from '@dexfeed/service'
import { startApi, untilServed } from '../programs.ts'
import { callerOf } from '../remote.ts'
import { NETWORK, tokenAddress } from './fill-market.ts'
import type { LoopFunctions } from './loop-watch.ts'

export const LOOP_WATCH = 'lab/dist/bench-loop.js'

export interface MeasuredApi {
  child: ChildProcess
  pid: number
  url: string
  loadMs: number
}

interface MeasuredApiOptions {
  rateLimitPerS: number
  readyPath?: string
  preload?: string
  onListening?: (child: ChildProcess) => Promise<void>
}

const QUOTE = `/api/quote?network=${NETWORK}&sellToken=${tokenAddress(0)}&buyToken=${tokenAddress(1)}`

/**
 * Starts the API with the heap limit of docker-compose.yml and waits until it is ready.
 *
 * @throws if the API ends before it is ready
 */
export async function startMeasuredApi(
  databaseUrl: string,
  { rateLimitPerS, readyPath = QUOTE, preload, onListening }: MeasuredApiOptions,
  shutdown: Shutdown,
): Promise<MeasuredApi> {
  const started = performance.now()
  const { child, url } = await startApi(databaseUrl, shutdown, {
    execArgv: [...composeHeap(), ...(preload === undefined ? [] : ['--import', join(projectRoot(), preload)])],
    env: {
      NODE_ENV: 'production',
      MAX_QUOTE_AGE_S: '86400',
      RATE_LIMIT_PER_S: String(rateLimitPerS),
    },
  })
  await onListening?.(child)
  await untilServed(url + readyPath, child, shutdown.signal)
  return { child, pid: child.pid ?? 0, url, loadMs: performance.now() - started }
}

/** Needs `LOOP_WATCH`. */
export function readLoop(child: ChildProcess): Promise<LongestStop> {
  return callerOf<LoopFunctions>(child)('longestStop')
}

export type LongestStop = ReturnType<LoopFunctions['longestStop']>

function composeHeap(): string[] {
  const text = readFileSync(join(projectRoot(), 'docker-compose.yml'), 'utf8')
  const [, api = ''] = text.split(/^ {2}api:$/m)
  const [, options = ''] = /^ +NODE_OPTIONS: (.*)$/m.exec(api) ?? []
  const limits = options.split(' ').filter((option) => option.startsWith('--max-'))
  if (limits.length === 0) throw new Error("docker-compose.yml does not limit the API's heap")
  return limits
}
