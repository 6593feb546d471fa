import { type Address, type Hex, protocolOf } from '@dexfeed/dex'
import { word } from '../abi.ts'
import type { Ticks } from '../pool-math.ts'

/** An `eth_call` without a recipient: the node runs the data as code. */
export interface CodeCall {
  data: Hex
  gas?: Hex
}

/** Default of geth's `--rpc.gascap`. */
const MAX_GAS = 50_000_000
/** Measured with a Uniswap V3 pool. */
const GAS = { start: 416_000, word: 2_900, tick: 18_000 }
const MAX_BYTES = 24_576
const RANGE_BYTES = 32
const RECORD_BYTES = 39
const TICKS_PER_WORD = 256
const MARK = '00746b73'
const FAILED = 2

/**
 * Runs the tick scan of `packages/dex/src/tick-scan` until the gas is used up. Other code returns '0x'.
 *
 * @param ticksAt returns null if the scan of a pool fails
 */
export function runScan({ data, gas }: CodeCall, ticksAt: (pool: Address) => Ticks | null): Hex {
  const program = protocolOf('uniswap-v3').state?.ticks?.scan?.program
  if (program === undefined || !data.startsWith(program)) return '0x'
  const ranges = data.slice(program.length).match(new RegExp(`.{${2 * RANGE_BYTES}}`, 'g')) ?? []
  let left = Math.min(gas === undefined ? MAX_GAS : Number(gas), MAX_GAS) - GAS.start
  const records: string[] = []
  const resultOf = (range: number, position: number): Hex =>
    `0x${MARK}${number(range, 2)}${number(position, 4)}${records.join('')}`
  const hasRoom = (cost: number) => {
    left -= cost
    return left >= 0 && (records.length + 1) * RECORD_BYTES < MAX_BYTES
  }
  for (const [index, text] of ranges.entries()) {
    const { pool, from, until, spacing } = rangeIn(text)
    const ticks = ticksAt(pool)
    if (ticks === null) {
      if (!hasRoom(GAS.word)) return resultOf(index, from)
      records.push(`${number(index, 2)}${number(FAILED, 1)}${number(from, 4)}${word(0)}`)
      continue
    }
    const positions = [...ticks.keys()].map((tick) => tick / spacing).sort((a, b) => a - b)
    for (let start = from, end = from; start < until; start = end) {
      end = (Math.floor(start / TICKS_PER_WORD) + 1) * TICKS_PER_WORD
      if (!hasRoom(GAS.word)) return resultOf(index, start)
      for (const position of positions.filter((tick) => tick >= start && tick < end)) {
        if (!hasRoom(GAS.tick)) return resultOf(index, position)
        const { gross, net } = ticks.get(position * spacing) ?? { gross: 0n, net: 0n }
        const packed = (BigInt.asUintN(128, net) << 128n) | gross
        records.push(`${number(index, 2)}${number(0, 1)}${number(position, 4)}${word(packed)}`)
      }
    }
  }
  return resultOf(ranges.length, 0)
}

/** Decodes a range: pool (20 bytes), from (4), until (4), spacing (4). */
function rangeIn(text: string): { pool: Address; from: number; until: number; spacing: number } {
  const at = (byte: number) => Number.parseInt(text.slice(2 * byte, 2 * byte + 8), 16) | 0
  return { pool: `0x${text.slice(0, 40)}`, from: at(20), until: at(24), spacing: at(28) }
}

function number(value: number, bytes: number): string {
  return word(value).slice(-2 * bytes)
}
