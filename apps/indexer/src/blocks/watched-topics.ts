import { DEPOSIT, type Deployment, decodersOf, type Hex, protocolOf, settlementTopics, WITHDRAWAL } from '@dexfeed/dex'

/** First topics of every log that a range read brings: pool events, new pools, the wrapper's flow, settled orders. */
export function watchedTopics({ dexes, settlements = [] }: Pick<Deployment, 'dexes' | 'settlements'>): Hex[] {
  const kinds = dexes.map(({ kind }) => kind)
  const creations = kinds.flatMap((kind) => protocolOf(kind).creation?.topic ?? [])
  return [
    ...new Set([...decodersOf(kinds).keys(), ...creations, ...settlementTopics(settlements), DEPOSIT, WITHDRAWAL]),
  ]
}
