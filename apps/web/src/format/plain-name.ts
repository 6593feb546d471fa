/** Characters that change the text direction, are invisible, or break lines. Anyone can choose a token's name. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu
/** More combining marks than any language needs would cover other lines. */
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu
const MAX_LENGTH = 32

/** Returns a token name that is safe to show next to other text, or null if nothing visible is left. */
export function plainName(name: string | null): string | null {
  const visible = (name ?? '').replace(MISLEADING, '').replace(STACKED_MARKS, '$1').replace(/\s+/g, ' ').trim()
  const letters = [...visible]
  if (letters.length === 0) return null
  return letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH - 1).join('')}…` : visible
}
