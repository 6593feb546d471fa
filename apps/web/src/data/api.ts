import { createClient } from '@dexfeed/client'

/** Fails soon: a page that says what is wrong is better than one that waits. */
export const api = createClient({ baseUrl: location.origin, attempts: 2, maxPauseMs: 2_000 })
