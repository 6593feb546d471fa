/** Lets a loop sleep until somebody wakes it; a call that came while it was awake is not missed. */
export interface WakeSignal {
  wake(): void
  /**
   * Resolves with the next call, with the end of all, or after this time.
   *
   * @returns false: the time was over
   */
  next(timeoutMs?: number): Promise<boolean>
}

export function wakeSignal(ended: AbortSignal): WakeSignal {
  let pending = true
  let resolveNext: (() => void) | null = null
  const wake = () => {
    pending = true
    resolveNext?.()
  }
  ended.addEventListener('abort', wake, { once: true })
  return {
    wake,
    async next(timeoutMs) {
      if (!pending) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          resolveNext = resolve
          if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs)
        })
        clearTimeout(timer)
      }
      const isWoken = pending
      resolveNext = null
      pending = false
      return isWoken
    },
  }
}
