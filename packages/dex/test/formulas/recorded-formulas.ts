import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Units of one coin sold for another, and what the contract paid, or null if it reverted. */
type Reply = readonly [from: number, to: number, amountIn: string, amountOut: string | null]
export type Replies = readonly { values: readonly string[]; replies: readonly Reply[] }[]

const recorded = new URL('../fixtures/formula-replies.json.gz', import.meta.url)

/** What real contracts paid, or what their views quoted, in random states. The file names the contracts. */
export const recordedFormulas: Record<string, Replies> = JSON.parse(
  gunzipSync(readFileSync(recorded)).toString(),
).formulas
