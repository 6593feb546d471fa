const SIZE = 5
const MIDDLE = 2
/** The coin has no address: it gets a square. */
const COIN = '000011011011000b000'

/** Draws a token's mark from its address, the same everywhere. No picture is fetched, and no symbol can imitate it. */
export function TokenMark({ address }: { address: string }) {
  const digits = address === '' ? COIN : address.slice(2).toLowerCase()
  const hue = Math.round((Number.parseInt(digits.slice(-4), 16) / 65_536) * 360)
  let cells = ''
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      // The right half mirrors the left one.
      const column = x > MIDDLE ? SIZE - 1 - x : x
      if (Number.parseInt(digits[y * (MIDDLE + 1) + column] ?? '0', 16) % 2 === 1) cells += `M${x} ${y}h1v1h-1z`
    }
  }
  return (
    <svg class="mark" viewBox={`0 0 ${SIZE} ${SIZE}`} aria-hidden="true">
      <rect width={SIZE} height={SIZE} fill={`hsl(${hue} 60% 42%)`} />
      <path d={cells} fill={`hsl(${(hue + 50) % 360} 85% 76%)`} />
    </svg>
  )
}
