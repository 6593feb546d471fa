/** Shortens an address or hash to `0x1234…abcd`. A pool inside a manager has two parts. */
export function shortHex(hex: string): string {
  const parts = hex.split(':')
  return parts.map((part) => (part.length <= 14 ? part : `${part.slice(0, 6)}…${part.slice(-4)}`)).join(':')
}
