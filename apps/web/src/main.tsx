import { render } from 'preact'
import { routeOf } from './routing/routes.ts'
import { Shell } from './shell/shell.tsx'
import { startClock } from './state/clock.ts'
import { followLinks } from './state/place.ts'
import { startTheme } from './state/theme.ts'
import { startWatchList } from './state/watch-list.ts'
import './styles/theme.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/market.css'
import './styles/docs.css'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no place for its content')
startTheme()
startClock()
startWatchList()
followLinks((path) => routeOf(path) !== null)
render(<Shell />, root)
