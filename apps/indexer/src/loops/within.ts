/** Returns what the work returns. Rejects with the error `late` if that takes longer than this time. */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  return Promise.race([work, expired]).finally(() => clearTimeout(timer))
}
