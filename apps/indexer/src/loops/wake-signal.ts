/** Lets a loop sleep until somebody rings; a ring that came in between is not missed. */
export interface WakeSignal {
  ring(): void
  /** Resolves with the next ring, with the end of all, or after this time. */
  next(timeoutMs?: number): Promise<void>
}

export function wakeSignal(ended: AbortSignal): WakeSignal {
  let pending = true
  let wake: (() => void) | null = null
  const ring = () => {
    pending = true
    wake?.()
  }
  ended.addEventListener('abort', ring, { once: true })
  return {
    ring,
    async next(timeoutMs) {
      if (!pending) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          wake = resolve
          if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs)
        })
        clearTimeout(timer)
      }
      wake = null
      pending = false
    },
  }
}
