import { choiceOf } from './choice.tsx'

/** The windows over which the API counts trades. The first one is the default. */
export const WINDOWS = [
  ['24h', '24 h'],
  ['6h', '6 h'],
  ['1h', '1 h'],
  ['5m', '5 min'],
] as const

export type WindowName = (typeof WINDOWS)[number][0]

/** Returns the window in the address bar. */
export function chosenWindow(): WindowName {
  return choiceOf('window', WINDOWS) as WindowName
}
