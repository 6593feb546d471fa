import { DEPOSIT, type Deployment, decodersOf, type Hex, protocolOf, WITHDRAWAL } from '@dexfeed/dex'

/** First topics of every log that a range read brings: pool events, new pools, and the wrapper's flow. */
export function watchedTopics({ dexes }: Pick<Deployment, 'dexes'>): Hex[] {
  const kinds = dexes.map(({ kind }) => kind)
  const creations = kinds.flatMap((kind) => protocolOf(kind)?.creation?.topic ?? [])
  return [...new Set([...decodersOf(kinds).keys(), ...creations, DEPOSIT, WITHDRAWAL])]
}
