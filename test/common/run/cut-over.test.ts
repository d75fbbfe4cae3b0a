import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import { openPods } from '../../../common/strategy/gate.ts'
import { serving } from '../plan/simulated-pods.ts'
import { aService } from '../plan/simulated-services.ts'
import { aSource, type RunWorld } from '../plan/some-run.ts'
import { aBlueGreen, aCutOver, ID, once, PREVIEWED, pinsOf, previewSpec, told, withAvailable } from './blue-greens.ts'
import { imageIn } from './promotions.ts'

/** The Events about the Service in so many passes. */
const eventsOf = (run: RunWorld) =>
  Array.from({ length: 40 }, () => run.pass().conclusion.run?.written).flatMap((written) =>
    written ? [`${written.object.metadata.name} ${written.reason}: ${written.message}`] : [],
  )

describe('a blue-green', () => {
  it('1: brings up the pods of its preview, all of them shut', () => {
    const run = aBlueGreen()
    run.rest()
    expect([run.world.pods.length, openPods(run.world.pods)]).to.deep.equal([2, 0])
    expect(run.step()).to.equal('2/10 Paused')
  })

  it('1: waits until the new pods are available', () => {
    const run = aBlueGreen()
    run.pass()
    run.world.pods = run.world.pods.map((pod) => ({ ...pod, hasReadyContainers: false }))
    run.rest()
    expect(run.step()).to.equal('0/10 Progressing')
    expect(pinsOf(run)).to.deep.equal(['shared', 'shared'])
  })

  it('2: limits the preview to them, also while they are not ready, and leaves the active Service', () => {
    const run = aBlueGreen()
    run.rest()
    expect(pinsOf(run)).to.deep.equal(['shared', ID])
    expect(previewSpec(run).publishNotReadyAddresses).to.equal(true)
  })

  it('2: says how the fork can be tested, and what ends that', () => {
    const run = aBlueGreen()
    run.rest()
    expect(run.reasonOf('Paused')).to.equal('Previewing')
    expect(run.messageOf('Paused')).to.contain('service/cart-preview sends to the fork; until somebody resumes it')
    expect(run.reasonOf('CutOver')).to.equal(undefined)
  })

  it('2: waits for the slices of the preview', () => {
    const run = aBlueGreen()
    run.world.traffic = { services: [], slices: [{ service: 'cart-preview', ready: [{ address: 'a', pod: 'a' }] }] }
    run.rest()
    expect(run.step()).to.equal('1/10 Progressing')
    delete run.world.traffic
    run.rest()
    expect(run.step()).to.equal('2/10 Paused')
  })

  it('2: waits for a preview that does not exist', () => {
    const run = aBlueGreen()
    run.world.services = { active: aService('cart') }
    run.rest()
    expect([run.step(), run.reasonOf('Ready')]).to.deep.equal(['1/10 Progressing', 'ServiceNotFound'])
    run.world.services = { active: aService('cart'), preview: aService('cart-preview') }
    run.rest()
    expect(run.step()).to.equal('2/10 Paused')
  })

  it('3: waits for a command, or for autoPromotionSeconds', () => {
    const run = aBlueGreen({ ...PREVIEWED, autoPromotionEnabled: true, autoPromotionSeconds: 60 })
    run.rest()
    expect(run.step()).to.equal('2/10 Paused')
    run.wait(61)
    run.rest()
    expect(run.step()).to.equal('5/10 Paused')
  })

  it('4: has all pods, opens them, and only then limits the active Service to them', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    const writes = once(told(run.rest()))
    expect(writes).to.deep.equal(['apply fork', 'apply pod', 'patch service cart'])
    expect(pinsOf(run)).to.deep.equal([ID, ID])
    expect(serving(run.world.pods)).to.equal(10)
    expect(run.step()).to.equal('5/10 Paused')
    expect([run.reasonOf('CutOver'), run.reasonOf('Paused')]).to.deep.equal(['CutOver', 'PauseDuration'])
    expect(JSON.stringify(run.world.experiment.status?.warnings ?? [])).not.to.contain('QueueWorker')
  })

  it('4: tells the active Service by whose word it is switched, and back', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume', 'ada')
    expect(eventsOf(run)).to.deep.equal([
      'cart CutOver: sends only to the fork of expd/faster-cart in shop, requested by ada',
    ])
    run.say('abort', 'bob')
    expect(eventsOf(run)).to.deep.equal([
      'cart Returned: sends to its own pods again, not to the fork of expd/faster-cart in shop, requested by bob',
    ])
  })

  it('4: does not limit the active Service before its slices list all open pods', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    run.world.traffic = { services: [], slices: [{ service: 'cart', ready: [{ address: 'a', pod: 'cart-1' }] }] }
    expect(() => run.rest()).not.to.throw()
    expect(pinsOf(run)[0]).to.equal('shared')
  })

  it('5: keeps the source for scaleDownDelaySeconds, promotes it behind the pin, returns, and drains', () => {
    const run = aCutOver({ ...PREVIEWED, scaleDownDelaySeconds: 60 }, { promotion: { mode: 'Automatic' } })
    expect(run.step()).to.equal('5/9 Paused')
    run.wait(61)
    const writes = once(told(run.rest()))
    const order = ['patch source', 'patch service cart', 'patch service cart-preview', 'apply pod', 'delete fork']
    expect(writes.filter((line) => order.includes(line))).to.deep.equal(order.slice(0, 3).concat('apply pod'))
    expect(run.step()).to.equal('8/9 Progressing')
    expect([pinsOf(run), openPods(run.world.pods)]).to.deep.equal([['shared', 'shared'], 0])
    run.wait(61)
    run.rest()
    expect([run.step(), run.world.fork]).to.deep.equal(['9/9 Promoted', undefined])
  })

  it('4: is cut over first when somebody says promote during its preview', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('promote')
    const writes = once(told(run.rest()))
    expect(writes.indexOf('patch service cart')).to.be.within(0, writes.indexOf('patch source') - 1)
    expect(pinsOf(run)).to.deep.equal(['shared', 'shared'])
  })

  it('4: does not limit a Service that does not select the source: ServiceDoesNotMatch', () => {
    const run = aBlueGreen({})
    run.world.services = { active: aService('cart', { app: 'other' }) }
    run.rest()
    expect([pinsOf(run)[0], run.reasonOf('Ready')]).to.deep.equal(['shared', 'ServiceDoesNotMatch'])
  })

  it('5: stays behind the pin until all pods of the source are listed', () => {
    const run = aCutOver(PREVIEWED, { promotion: { mode: 'Automatic' } })
    run.wait(61)
    while (!run.pass().writes.some(({ role }) => role === 'source'));
    run.world.source = withAvailable(run.world.source, 4)
    for (let passes = 0; passes < 10; passes += 1) run.pass()
    expect([run.step(), pinsOf(run)[0], serving(run.world.pods)]).to.deep.equal(['6/9 Progressing', ID, 10])
  })
})

describe('a pin of a blue-green', () => {
  it('is set again when somebody takes it away', () => {
    const run = aCutOver()
    run.world.services = { ...run.world.services, active: aService('cart') }
    expect(run.pass().writes[0]).to.deep.include({ role: 'service', isRepair: true })
    expect(pinsOf(run)[0]).to.equal(ID)
  })

  it('is set again at the pace of repairs', () => {
    const run = aCutOver()
    run.world.services = { ...run.world.services, active: aService('cart') }
    run.world.lostPins = { repairInMs: 500, isContested: false }
    const { writes, conclusion } = run.pass()
    expect(writes).to.deep.equal([])
    expect(conclusion).to.include({ is: 'waiting', retryAfterMs: 500 })
  })

  it('of a preview is set again at the pace of repairs', () => {
    const run = aBlueGreen()
    run.rest()
    run.world.services = { active: aService('cart'), preview: aService('cart-preview') }
    run.world.lostPins = { repairInMs: 0, previewRepairInMs: 500, isContested: false }
    expect(run.pass().writes).to.deep.equal([])
    run.world.lostPins = { repairInMs: 0, isContested: false }
    expect(run.pass().writes[0]).to.deep.include({ role: 'service', isRepair: true })
  })

  it('is given up the third time: PinNotHeld', () => {
    const run = aCutOver()
    run.world.services = { ...run.world.services, active: aService('cart') }
    run.world.lostPins = { repairInMs: 0, isContested: true }
    expect(run.pass().conclusion.run?.moved?.reason).to.equal('PinNotHeld')
    run.rest()
    expect([run.reasonOf('Ready'), serving(run.world.pods)]).to.deep.equal(['Aborted', 0])
  })

  it('waits while another experiment has the Service: ServiceIsTaken', () => {
    const run = aBlueGreen()
    run.world.services = {
      active: aService('cart', { [EXPERIMENT_ID]: '0123456789' }),
      preview: aService('cart-preview'),
    }
    run.rest()
    run.say('resume')
    run.rest()
    expect([pinsOf(run)[0], run.reasonOf('Ready')]).to.deep.equal(['0123456789', 'ServiceIsTaken'])
  })

  it('is not set where Argo Rollouts changes the selector: ServiceIsManaged', () => {
    const run = aBlueGreen()
    const active = aService('cart', { 'rollouts-pod-template-hash': '5d4f' })
    run.world.services = { active, preview: aService('cart-preview') }
    run.rest()
    run.say('resume')
    run.rest()
    expect([pinsOf(run)[0], run.reasonOf('Ready')]).to.deep.equal(['shared', 'ServiceIsManaged'])
  })

  it('is set with the uid and the resourceVersion of the Service that was read', () => {
    const run = aBlueGreen()
    const writes = run.rest()
    const patches = writes.flatMap((write) => (write.verb === 'patch' && write.role === 'service' ? [write.patch] : []))
    expect(patches).to.deep.equal([
      {
        metadata: { uid: 'uid-of-cart-preview', resourceVersion: '30' },
        spec: { selector: { [EXPERIMENT_ID]: ID }, publishNotReadyAddresses: true },
      },
    ])
  })

  for (const [title, published] of Object.entries({
    'takes back publishNotReadyAddresses of the preview': undefined,
    'leaves publishNotReadyAddresses where somebody else declares it, too': true,
  }))
    it(title, () => {
      const run = aBlueGreen()
      run.rest()
      const preview = run.world.services?.preview
      if (!preview) throw new Error('there is a preview')
      const fieldsV1 = { 'f:spec': { 'f:publishNotReadyAddresses': {} } }
      const others = published ? [{ manager: 'team', operation: 'Apply', fieldsV1 }] : []
      const managedFields = [...(preview.metadata.managedFields ?? []), ...others]
      run.world.services = {
        ...run.world.services,
        preview: { ...preview, metadata: { ...preview.metadata, managedFields } },
      }
      run.say('abort')
      run.rest()
      expect([pinsOf(run)[1], previewSpec(run).publishNotReadyAddresses]).to.deep.equal(['shared', published])
    })

  it('keeps the template of the fork until the run is over', () => {
    const run = aCutOver()
    run.world.source = aSource(10, 'example/cart:1', { minReadySeconds: 5 })
    const before = JSON.stringify(run.world.fork?.spec)
    expect(told(run.rest())).to.deep.equal([])
    expect(JSON.stringify(run.world.fork?.spec)).to.equal(before)
  })
})

describe('a blue-green', () => {
  it('that is paused is not cut over', () => {
    const run = aBlueGreen()
    run.rest()
    run.say('resume')
    run.world.traffic = { services: [], slices: [] }
    run.rest()
    run.say('pause')
    run.pass()
    expect([run.strategy()?.stepName, run.strategy()?.command?.answer]).to.deep.equal(['cutOver', 'Done'])
    delete run.world.traffic
    run.rest()
    expect(pinsOf(run)[0]).to.equal('shared')
    run.say('resume')
    run.rest()
    expect(pinsOf(run)[0]).to.not.equal('shared')
  })

  /** The source is written, and its own rollout goes on, while somebody takes the pin away again and again. */
  const contested = () => {
    const run = aCutOver(PREVIEWED, { promotion: { mode: 'Automatic' } })
    run.wait(61)
    while (imageIn(run) !== 'example/cart:2') run.pass()
    const { source, services } = run.world
    run.world.source = withAvailable(source, 8)
    run.pass()
    run.world.services = { ...services, active: aService('cart') }
    run.world.lostPins = { repairInMs: 0, isContested: true }
    run.rest()
    return run
  }

  it('whose source is not written is aborted where the pin is not held, and says what to exclude', () => {
    const run = aCutOver()
    run.world.services = { ...run.world.services, active: aService('cart') }
    run.world.lostPins = { repairInMs: 0, isContested: true }
    expect(run.pass().conclusion.run?.moved?.message).to.contain(
      `another client keeps removing the label ${EXPERIMENT_ID} from the selector of service/cart; exclude spec.selector there`,
    )
  })

  it('whose source is written is not aborted where the pin is not held, and keeps its pods open', () => {
    const run = contested()
    expect([run.strategy()?.path, serving(run.world.pods)]).to.deep.equal(['Forward', 10])
    run.world.source = withAvailable(run.world.source, 10)
    run.rest()
    run.wait(31)
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Promoted', 'example/cart:2'])
  })

  it('whose source is written can be undone where the pin is not held', () => {
    const run = contested()
    run.world.source = withAvailable(run.world.source, 10)
    run.say('undo')
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Undone', 'example/cart:1'])
  })
})
