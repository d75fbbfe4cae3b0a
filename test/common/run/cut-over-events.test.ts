import { expect } from 'chai'
import { aBlueGreen, aCutOver, PREVIEWED } from './blue-greens.ts'

type RunWorld = ReturnType<typeof aBlueGreen>

/** What the Events about the active Service say of who caused them. */
const authorsIn = (run: RunWorld) =>
  Array.from({ length: 40 }, () => run.pass().conclusion.run?.written).flatMap((written) =>
    written?.object.kind === 'Service' ? [`${written.reason}${/, requested by .*/.exec(written.message) ?? ''}`] : [],
  )

/** The containers of the fork are not ready any more. */
function failed(run: RunWorld) {
  run.world.pods = run.world.pods.map((pod) => ({ ...pod, isReady: false, hasReadyContainers: false }))
}

describe('the Event about a switched Service', () => {
  it('names nobody where the controller returns the Service by itself', () => {
    const run = aCutOver() // by the command "resume"
    failed(run)
    expect(authorsIn(run)).to.deep.equal(['Returned'])
  })

  it('names nobody because of a command that was refused', () => {
    const run = aBlueGreen({ ...PREVIEWED, autoPromotionEnabled: true, autoPromotionSeconds: 60 })
    run.rest()
    run.say('retry', 'bob')
    run.rest()
    expect(run.strategy()?.command).to.include({ by: 'bob', answer: 'Refused' })
    run.wait(61)
    expect(authorsIn(run)).to.deep.equal(['CutOver'])
    failed(run)
    run.pass()
    run.say('abort', 'bob')
    expect(authorsIn(run)).to.deep.equal(['Returned'])
  })

  it('names who gave the command abort, undo, or promote', () => {
    const aborted = aCutOver()
    aborted.say('abort', 'bob')
    expect(authorsIn(aborted)).to.deep.equal(['Returned, requested by bob'])
    const promoted = aCutOver()
    promoted.say('promote', 'eve')
    expect(authorsIn(promoted)).to.include('Returned, requested by eve')
    const undone = aCutOver(PREVIEWED, { promotion: { mode: 'Automatic' } })
    undone.wait(61)
    while (undone.pass().conclusion.run?.promotion?.written === undefined);
    undone.say('undo', 'bob')
    expect(authorsIn(undone)).to.deep.equal(['Returned, requested by bob'])
  })

  it('names nobody where an automatic promotion returns the Service', () => {
    const run = aCutOver({ ...PREVIEWED, scaleDownDelaySeconds: 60 }, { promotion: { mode: 'Automatic' } })
    run.wait(61)
    expect(authorsIn(run).filter((event) => event.startsWith('Returned'))).to.deep.equal(['Returned'])
  })
})
