import type { Client } from '@dexfeed/client'
import { type Difference, explainDifference, type Figures, percentText } from './explain-difference.ts'
import { namedSubjects, type OwnSubject, topPools } from './own-figures.ts'
import type { OtherSource, Question } from './sources/source.ts'

export interface ComparedRow extends OwnSubject {
  other: Figures | undefined
  difference: Difference
}

/**
 * Yields each pool or token with the figures of both sources and an explanation of any difference.
 *
 * @throws Error with the reason
 */
export async function* compareSources(
  client: Client,
  source: OtherSource,
  question: Question,
  count: number,
): AsyncGenerator<ComparedRow, void> {
  const named = source.subjects(question)
  const subjects =
    named === null
      ? await topPools(client, question, count, source.isOfLastDay)
      : await namedSubjects(client, named, question)
  for (const subject of subjects) {
    const other = await source.figures(subject, question)
    yield { ...subject, other, difference: explainDifference(subject.own, other) }
  }
}

export function rowText({ pool, token, name, own, other, difference }: ComparedRow): string {
  type Figure = string | null | undefined
  const line = (what: string, ours: Figure, theirs: Figure, points: bigint | null) => {
    const change = points === null ? '' : `, ${percentText(points)}`
    return `  ${what.padEnd(7)} here ${ours ?? 'unknown'}, there ${theirs ?? 'unknown'}${change}`
  }
  return [
    `${name === '' ? '' : `${name} `}${pool ?? token ?? ''}`,
    line('price', own?.priceUsd, other?.priceUsd, difference.price),
    line('volume', own?.volumeUsd, other?.volumeUsd, difference.volume),
    `  ${difference.reason ?? 'equal'}`,
    '',
  ].join('\n')
}

/** Returns a row as a line of JSON. Differences are hundredths of a percent. */
export function rowJson({ pool, token, name, own, other, difference }: ComparedRow): string {
  const { price, volume, reason, isExplained } = difference
  const numberOf = (points: bigint | null) => (points === null ? null : Number(points))
  return `${JSON.stringify({
    pool,
    token,
    name,
    here: figuresOf(own),
    there: figuresOf(other),
    price_difference_e4: numberOf(price),
    volume_difference_e4: numberOf(volume),
    reason,
    explained: isExplained,
  })}\n`
}

function figuresOf(figures: Figures | undefined) {
  return figures === undefined ? null : { price_usd: figures.priceUsd, volume_usd: figures.volumeUsd }
}
