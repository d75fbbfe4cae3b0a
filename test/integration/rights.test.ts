import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { usesProduct } from './product.ts'
import { WITH_EXPERIMENTS } from './rights/experiments.ts'
import { WITH_OTHERS } from './rights/others.ts'
import { AT_THE_PORT } from './rights/port.ts'
import { type Actor, World } from './rights/world.ts'

const PAGE = new URL('../../docs/rights.md', import.meta.url)
const WRITES = process.env.WRITE_PAGES === '1'
const ALL = { ...WITH_EXPERIMENTS, ...WITH_OTHERS, ...AT_THE_PORT }

/** A kind of user, and the rows of her table. */
const USERS = readFileSync(PAGE, 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section, at) => ({
    title: section.slice(0, section.indexOf('\n')),
    name: `rights-${at}`,
    rights: /^Permissions: ([\s\S]+?)\.\n\n/m.exec(section)?.[1],
    account: /^Account: `(.+)`\.$/m.exec(section)?.[1],
    rows: [...section.matchAll(/^\| (?!she tries|it tries|---)(.+?) \| (.+) \|$/gm)].map(
      ([row, what = '', answer = '']) => ({ row, what, answer }),
    ),
  }))
  .filter(({ rows }) => rows.length > 0)

describe('S: docs/rights.md says what every kind of user reaches, on the real control plane', () => {
  const place = usesProduct()
  let world: World
  before('the namespaces of the page', async function () {
    this.timeout(120_000)
    world = await World.create(place())
  })
  after('no policy is left for other suites', () => world.unshares(world.stock))

  it('has every attempt once for a user, and no attempt without a row', () => {
    const rows = USERS.flatMap(({ rows: each }) => each.map(({ what }) => what))
    expect([...new Set(rows)].sort()).to.deep.equal(Object.keys(ALL).sort())
    for (const { rows: each } of USERS) expect(new Set(each.map(({ what }) => what)).size).to.equal(each.length)
  })

  for (const { title, name, rights, account, rows } of USERS)
    describe(title, () => {
      let actor: Actor
      before('she has the permissions of the page, and no others', async () => {
        expect(rights ?? account).to.not.equal(undefined)
        actor = account === undefined ? await world.actor(name, rights ?? '') : world.named(account)
      })

      for (const { row, what, answer } of rows)
        it(`${what}: ${answer}`, async () => {
          const found = await ALL[what]?.(actor, world)
          const shown = row.replace(/\| [^|]+ \|$/, () => `| ${found} |`)
          if (WRITES && found !== answer) writeFileSync(PAGE, rewritten(title, row, shown))
          else expect(found).to.equal(answer)
        })
    })
})

/** The page with another row in the section `title`. */
function rewritten(title: string, row: string, shown: string): string {
  const text = readFileSync(PAGE, 'utf8')
  const at = text.indexOf(row, text.indexOf(`\n## ${title}\n`))
  return `${text.slice(0, at)}${shown}${text.slice(at + row.length)}`
}
