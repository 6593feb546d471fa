import { fixedText } from '@dexfeed/dex'

/** Differences that count as equal, in hundredths of a percent. */
const PRICE_TOLERANCE = 100n
const VOLUME_TOLERANCE = 500n

export interface Figures {
  priceUsd: string | null
  volumeUsd: string | null
}

export interface OwnFigures extends Figures {
  swaps: number
  unpricedSwaps: number
  isCovered: boolean
  /** Volume flagged as wash trading; null before the day is judged. */
  washUsd: string | null
}

export interface Difference {
  /** How far the other source is above ours, in hundredths of a percent; null if not comparable. */
  price: bigint | null
  volume: bigint | null
  reason: string | null
  isExplained: boolean
}

export function explainDifference(own: OwnFigures | undefined, other: Figures | undefined): Difference {
  const ourPrice = scaledDecimal(own?.priceUsd)
  const theirPrice = scaledDecimal(other?.priceUsd)
  const ourVolume = scaledDecimal(own?.volumeUsd)
  const theirVolume = scaledDecimal(other?.volumeUsd)
  const price = basisPoints(ourPrice, theirPrice)
  const volume = basisPoints(ourVolume, theirVolume)
  const found = (reason: string | null, isExplained: boolean) => ({ price, volume, reason, isExplained })
  if (own === undefined) return found('is not indexed here', true)
  if (other === undefined) return found('the other source does not have it', true)
  const differs = {
    price: price !== null && !isWithin(price, PRICE_TOLERANCE),
    volume: volume !== null && !isWithin(volume, VOLUME_TOLERANCE),
  }
  if (price === null && volume === null) return found('one of the sources has no figures of this time', true)
  if (!differs.price && !differs.volume) return found(null, true)
  if (!own.isCovered) return found('a part of this time is not indexed here, or was deleted', true)
  if (differs.volume && isUnpriced(own, volume)) {
    return found(`${own.unpricedSwaps} of ${own.swaps} swaps have no value here: no trusted price was known`, true)
  }
  if (differs.volume && isWithoutWash(own, ourVolume, theirVolume)) {
    return found('the other source leaves out what is marked here as wash trading', true)
  }
  if (differs.price && differs.volume && isSameShare(price, volume)) {
    return found('price and volume differ by the same share: the other source values by another price', true)
  }
  return found(differs.price ? 'no known reason: the price differs' : 'no known reason: the volume differs', false)
}

function isWithin(points: bigint, tolerance: bigint): boolean {
  return points <= tolerance && points >= -tolerance
}

function isUnpriced({ unpricedSwaps }: OwnFigures, volume: bigint | null): boolean {
  return unpricedSwaps > 0 && volume !== null && volume > 0n
}

function isWithoutWash({ washUsd }: OwnFigures, ours: bigint | null, theirs: bigint | null): boolean {
  const wash = scaledDecimal(washUsd)
  if (wash === null || wash === 0n || ours === null) return false
  const rest = basisPoints(ours - wash, theirs)
  return rest !== null && isWithin(rest, VOLUME_TOLERANCE)
}

function isSameShare(price: bigint | null, volume: bigint | null): boolean {
  return price !== null && volume !== null && isWithin(price - volume, VOLUME_TOLERANCE)
}

const PLACES = 18

/** Returns a decimal times 10^18, rounded toward zero; null if `value` is not a decimal. */
export function scaledDecimal(value: unknown): bigint | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d{1,60})(?:\.(\d{1,80}))?(?:e([+-]?\d{1,2}))?$/i.exec(String(value)) ?? []
  if (whole === undefined) return null
  const shift = Number(exponent) + PLACES - fraction.length
  const digits = BigInt(whole + fraction)
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
}

/** Returns how far `theirs` is above `ours`, in hundredths of a percent; null if either is unknown, or ours is 0. */
export function basisPoints(ours: bigint | null, theirs: bigint | null): bigint | null {
  if (ours === null || theirs === null || ours === 0n) return null
  return ((theirs - ours) * 10_000n) / ours
}

export function percentText(points: bigint | null): string {
  return points === null ? '' : `${points < 0n ? '' : '+'}${fixedText(points, 2)} %`
}
