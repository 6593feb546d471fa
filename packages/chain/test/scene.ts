import type { Block } from '@dexfeed/dex'
import { onTestFinished } from 'vitest'
import { type Chain, type ChainOptions, openChain } from '../src/chain.ts'
import type { Clock } from '../src/clock.ts'
import { type MemoryChain, SWAP, SYNC } from './memory-chain.ts'
import { type ScriptedNode, startNode } from './scripted-node.ts'
import { hastyClock } from './test-clock.ts'

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error'
  text: string
}

export async function node(chain: MemoryChain, path?: string): Promise<ScriptedNode> {
  const started = await startNode(chain, path)
  onTestFinished(() => started.stop())
  return started
}

export function client(
  urls: readonly string[],
  options: Partial<ChainOptions> = {},
  clock: Clock = hastyClock(),
): { chain: Chain; lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    const error = 'err' in fields && fields.err instanceof Error ? fields.err.message : ''
    lines.push({ level, text: `${message} ${JSON.stringify(fields)} ${error}` })
  }
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const chain = openChain({ network: 'eth', urls, topics: [SWAP, SYNC], pollMs: 100, log, ...options }, clock)
  onTestFinished(() => chain.close())
  return { chain, lines }
}

export function asUnproven(blocks: readonly Block[]): Block[] {
  return blocks.map(({ isProven, receipts, ...block }) => block)
}

export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('expected a rejection')
}
