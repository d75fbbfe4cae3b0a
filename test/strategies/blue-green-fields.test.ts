import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, objectOr } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, install, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS, hasEndpoints, type Place, placeAt } from '../integration/product.ts'
import { blueGreensIn, previewOf } from './blue-greens.ts'
import { ofTheTeam, serviceWrites, teamManifest } from './team-services.ts'

const SIZE = 2

/** How a team applies its Services. */
const WAYS = {
  'client-side': ['apply', '-f', '-'],
  'server-side': ['apply', '--server-side', '--field-manager=team', '-f', '-'],
  forced: ['apply', '--server-side', '--force-conflicts', '--field-manager=team', '-f', '-'],
} as const
type Way = keyof typeof WAYS
const ALL_WAYS = Object.keys(WAYS) as readonly Way[]

/** An experiment whose Services were created in one way, and are applied again in another in every phase. */
interface Team {
  readonly created: Way
  readonly applied: Way
}
const TEAMS = (['client-side', 'server-side'] as const).flatMap((created) =>
  ALL_WAYS.map((applied): Team => ({ created, applied })),
)
const nameOf = ({ created, applied }: Team) => `${created.split('-')[0]}-${applied.split('-')[0]}`
const servicesOf = (team: Team) => [nameOf(team), previewOf(nameOf(team))] as const

describe("nobody else's field of a Service of a blue-green", function () {
  this.timeout(300_000)
  const plane = usesOwnControlPlane(crds)
  let found: Place | undefined
  const place = (): Place => {
    if (!found) throw new Error('the product runs while tests run')
    return found
  }
  const { says, shows } = canariesIn(place)
  const { blueGreen, service, isPinned, comesBack } = blueGreensIn(place)

  before('the product runs, and each team has a source and two Services', async () => {
    await install(plane(), { overlay: WITH_CUT_OVER })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    found = placeAt(plane().api, plane().kubectl, 'shop')
    await Promise.all(TEAMS.map((team) => aTeam(nameOf(team), team.created)))
  })

  const apply = (way: Way, service: string, app: string, spec = {}) =>
    place().kubectl(WAYS[way], teamManifest(service, app, spec))

  /** A source and its two Services. */
  async function aTeam(name: string, created: Way, spec = {}): Promise<void> {
    const labels = { app: name }
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
    }
    await place().api.create(place().path('deployments'), {
      metadata: { name },
      spec: { replicas: SIZE, selector: { matchLabels: labels }, template },
    })
    for (const [service, of] of [
      [name, {}],
      [previewOf(name), spec],
    ] as const) {
      const { code, text } = await apply(created, service, name, of)
      expect(code, text).to.equal(0)
    }
    await hasEndpoints(place(), name, SIZE)
  }

  const idOf = async (name: string) =>
    (await place().experimentAt(name)).status?.experimentResourceRef?.name.slice(-10) ?? ''
  const isPutBack = async (name: string, service: string) => {
    const id = await idOf(name)
    await eventually(`the pair of service ${service} to be put back`, DEADLINE_MS, async () =>
      expect(await isPinned(service, id)).to.equal(true),
    )
  }

  /** All teams side by side. */
  const forEach = (teams: readonly Team[], act: (team: Team) => Promise<void>) =>
    Promise.all(teams.map(act)).then(() => undefined)

  /** The Services of all teams before and after `act`, in which nobody but us writes them. */
  async function keepsTheRest(teams: readonly Team[], act: () => Promise<void>): Promise<void> {
    const read = () => Promise.all(teams.flatMap(servicesOf).map((name) => service(name)))
    const past = await read()
    await act()
    const present = await read()
    for (const [index, was] of past.entries()) {
      const is = present[index] as KubeObject
      expect(ofTheTeam(is), was.metadata.name).to.deep.equal(ofTheTeam(was))
      expect(is.metadata.resourceVersion === was.metadata.resourceVersion, was.metadata.name).to.equal(
        isEqualSwitch(is, was),
      )
    }
  }

  /** What comes of the manifest of a team, applied again while `limited` of its Services send only to the fork. */
  async function applyAgain(team: Team, limited: readonly string[]): Promise<void> {
    const name = nameOf(team)
    for (const each of servicesOf(team)) {
      const isLimited = limited.includes(each)
      const was = await service(each)
      expect(at(was.spec, 'selector')).to.have.keys(isLimited ? ['app', EXPERIMENT_ID] : ['app'])
      const { code, text } = await apply(team.applied, each, name)
      if (isLimited && team.applied === 'server-side') {
        expect(code, text).to.not.equal(0)
        expect(text, each).to.match(/conflict with "experiment-controller".*\.spec\.selector/s)
        expect(await service(each), each).to.deep.equal(was)
      } else {
        expect(code, text).to.equal(0)
        if (isLimited && team.applied === 'forced') await isPutBack(name, each)
        const is = await service(each)
        expect(isEqualSwitch(is, was), `${each}: ${text}`).to.equal(true)
        if (team.applied === 'client-side' && team.created === 'client-side') expect(is).to.deep.equal(was)
      }
    }
  }

  /** `kubectl diff` of the manifest of a team that applies it client-side. */
  async function differsNot(team: Team): Promise<void> {
    for (const each of servicesOf(team)) {
      const { code, text } = await place().kubectl(['diff', '-f', '-'], teamManifest(each, nameOf(team)))
      expect({ code, text }, each).to.deep.equal({ code: 0, text: '' })
    }
  }
  const clients = TEAMS.filter(({ applied }) => applied === 'client-side')
  const servers = TEAMS.filter(({ applied }) => applied === 'server-side')
  const forcing = TEAMS.filter(({ applied }) => applied === 'forced')

  it('before: every way of applying the manifest is accepted', async () => {
    await forEach(TEAMS, (team) => applyAgain(team, []))
    await forEach(clients, differsNot)
  })

  it('previewing: only the pair and publishNotReadyAddresses of the preview change', async () => {
    await keepsTheRest(TEAMS, () =>
      forEach(TEAMS, async (team) => {
        await blueGreen(nameOf(team), 'Deployment')
        await shows(nameOf(team), '2/10 Paused')
      }),
    )
  })

  it('previewing: client-side keeps the pair, server-side is a conflict, a forced one is put back', async () => {
    await forEach(TEAMS, (team) => applyAgain(team, [previewOf(nameOf(team))]))
    await forEach(clients, differsNot)
  })

  it('cut over: only the pair of the active Service changes', async () => {
    await keepsTheRest(TEAMS, () =>
      forEach(TEAMS, async (team) => {
        await says(nameOf(team), 'resume')
        await shows(nameOf(team), '5/10 Paused')
      }),
    )
  })

  it('cut over: client-side keeps the pair, server-side is a conflict, a forced one is put back', async () => {
    await forEach(TEAMS, (team) => applyAgain(team, servicesOf(team)))
  })

  it('cut over: the third forced one in a row is not put back: PinNotHeld, and the run goes back', () =>
    forEach(forcing, async (team) => {
      const name = nameOf(team)
      const take = async () => {
        const { code, text } = await apply('forced', name, name)
        expect(code, text).to.equal(0)
      }
      await take()
      await isPutBack(name, name)
      await take()
      await place().shows(name, 'PinNotHeld', ({ status }) => status?.strategy?.path === 'Abort')
      const ofIt = `--field-selector=reason=PinNotHeld,involvedObject.name=${name}`
      await eventually('the Event', DEADLINE_MS, async () =>
        expect((await place().kubectl(['get', 'events', ofIt, '-o', 'name'])).text).to.contain('event/'),
      )
      await comesBack(name)
      await comesBack(previewOf(name))
    }))

  it('cut over: kubectl diff shows nothing to those who apply client-side', () => forEach(clients, differsNot))

  it('returned: only the pairs and publishNotReadyAddresses of the preview change', async () => {
    const teams = [...clients, ...servers]
    await keepsTheRest(teams, () =>
      forEach(teams, async (team) => {
        await says(nameOf(team), team.applied === 'client-side' ? 'promote' : 'abort')
        await comesBack(nameOf(team))
        await comesBack(previewOf(nameOf(team)))
      }),
    )
  })

  it('returned: every way of applying the manifest is accepted, and the Services are as before', async () => {
    await forEach(TEAMS, (team) => applyAgain(team, []))
    await forEach(clients, differsNot)
    await forEach(TEAMS, async (team) => {
      for (const each of servicesOf(team)) {
        const { spec } = await service(each)
        expect(at(spec, 'selector')).to.deep.equal({ app: nameOf(team) })
        expect(at(spec, 'publishNotReadyAddresses'), each).to.equal(undefined)
      }
    })
  })

  it('leaves what the team itself published, whether before or since', async () => {
    const published = { publishNotReadyAddresses: true }
    const names = { before: 'published-before', since: 'published-since' }
    await aTeam(names.before, 'server-side', published)
    await aTeam(names.since, 'server-side')
    await Promise.all(Object.values(names).map((name) => blueGreen(name, 'Deployment')))
    await Promise.all(Object.values(names).map((name) => shows(name, '2/10 Paused')))
    const { code, text } = await apply('forced', previewOf(names.since), names.since, published)
    expect(code, text).to.equal(0)
    await isPutBack(names.since, previewOf(names.since))
    for (const name of Object.values(names)) {
      await says(name, 'abort')
      await comesBack(previewOf(name))
      const { spec } = await service(previewOf(name))
      expect(at(spec, 'publishNotReadyAddresses'), name).to.equal(true)
    }
  })

  it('is written by no request of our accounts, says the audit log', async () => {
    const { count, forbidden } = await serviceWrites(plane().auditLog, (name) => name.endsWith('-preview'))
    expect(forbidden).to.deep.equal([])
    expect(count).to.be.above(4 * TEAMS.length)
  })
})

/** Whether two versions of a Service are the same in what we may write. */
function isEqualSwitch(one: KubeObject, other: KubeObject): boolean {
  const switchOf = ({ spec }: KubeObject) =>
    JSON.stringify([objectOr(at(spec, 'selector'))[EXPERIMENT_ID], at(spec, 'publishNotReadyAddresses')])
  return switchOf(one) === switchOf(other)
}
