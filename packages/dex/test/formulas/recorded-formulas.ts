import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Units of one coin sold for another, and what the contract paid, or null if it reverted. */
type Reply = readonly [from: number, to: number, amountIn: string, amountOut: string | null]
export type Replies = readonly { values: readonly string[]; replies: readonly Reply[] }[]

const recorded = new URL('../fixtures/formula-replies.json.gz', import.meta.url)

/** What real contracts paid or quoted in random states, or a transcription of them: the file says which (`about`). */
export const recordedFormulas: Record<string, Replies> = JSON.parse(
  gunzipSync(readFileSync(recorded)).toString(),
).formulas
