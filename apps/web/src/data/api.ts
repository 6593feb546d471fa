import { createClient } from '@dexfeed/client'

/** Fails quickly, because an error message helps more than waiting. */
export const api = createClient({ baseUrl: location.origin, attempts: 2, maxPauseMs: 2_000 })
