import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { GOALS } from '../../../cli/flags/goal.ts'
import { EXIT } from '../../../cli/process/exit-codes.ts'
import { markOf } from '../../../cli/render/style.ts'
import { STATES } from '../../../common/view/experiment-view.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { Page, wordsOf } from '../../integration/document.ts'
import { DEADLINE_MS, hasEndpoints, placeIn } from '../../integration/product.ts'
import { granted } from '../../integration/users.ts'
import { usesPlugin } from './plugin.ts'
import { usesEverything } from './scenes.ts'

const PAGE = new Page('plugin.md')
const SHOP = { user: 'alice', namespace: 'shop' } as const

/** The rows of the table of the page below this header: the texts of their cells. */
const rowsOf = (header: string): readonly (readonly string[])[] => {
  const [, after = ''] = PAGE.text.split(`\n| ${header} |`)
  const [rows = ''] = after.split('\n\n')
  return rows
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$|`/g, '')))
}

describe('the guide to the plugin, on the real control plane', () => {
  const plane = usesEverything()
  const plugin = usesPlugin()
  let folder = ''
  before('its files, and a namespace in which alice may edit', async () => {
    folder = await mkdtemp(join(tmpdir(), 'plugin-guide-'))
    await PAGE.writeFiles(folder)
    await plane().api.create('/api/v1/namespaces', { metadata: { name: SHOP.namespace } })
    await granted('alice', 'edit', SHOP.namespace)
  })
  after('its files are removed', () => rm(folder, { recursive: true }))

  for (const step of PAGE.steps())
    it(`runs ${step.command}, with the output that the page shows`, async function () {
      this.timeout(2 * DEADLINE_MS)
      const once = async () => {
        const { code, stdout } = await plugin().shell(`${step.command} 2>&1`, { as: SHOP, cwd: folder })
        PAGE.expectOutput(step, stdout)
        expect(code !== 0, stdout).to.equal(step.isRefused)
      }
      expect(wordsOf(step.command)[0]).to.equal('kubectl')
      // a share is in the status a moment after the pods are ready
      await (/^kubectl experiment get/.test(step.command) ? eventually('the output', DEADLINE_MS, once) : once())
      if (step.command.startsWith('kubectl rollout status'))
        await hasEndpoints(await placeIn(SHOP.namespace), 'cart', 3)
    })

  it('has run every command, in an order that a reader can follow', () => {
    expect(PAGE.steps().length).to.be.greaterThan(10)
    expect([...new Set(PAGE.languages())].sort()).to.deep.equal(['console', 'sh', 'yaml'])
    expect(PAGE.blocks('sh')).to.deep.equal([
      'npm ci && npm run build -- cli\nnpm install --global ./dist/npm\n', // package.test.ts installs it
    ])
  })

  it('lists every state with its marks', () => {
    const style = { hasColour: false }
    expect(rowsOf('mark | in ASCII | state | it means').map((row) => row.slice(0, 3))).to.deep.equal(
      STATES.map((state) => [
        markOf(state, { ...style, isPlain: false }),
        markOf(state, { ...style, isPlain: true }),
        state,
      ]),
    )
  })

  it('lists every goal and every exit code', () => {
    expect(new Set(rowsOf('goal | is reached when').map(([goal]) => goal))).to.deep.equal(new Set(GOALS))
    expect(rowsOf('exit code | meaning').map(([code]) => Number(code))).to.deep.equal(Object.values(EXIT))
  })
})
