import { signal } from '@preact/signals'

/** The time in milliseconds, updated each second while the page is visible. */
export const clock = signal(Date.now())

export function startClock(): void {
  const tick = () => {
    if (!document.hidden) clock.value = Date.now()
  }
  setInterval(tick, 1_000)
  document.addEventListener('visibilitychange', tick)
}
