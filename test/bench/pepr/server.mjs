/**
 * `node server.mjs FOLDER`: pepr's own server with a module that hardly does anything, as its image runs one. FOLDER is
 * where pepr was installed. Plain JavaScript, because older Nodes run it too.
 */

import { createRequire } from 'node:module'
import { Server } from 'node:net'
import { join } from 'node:path'

const { Capability, PeprModule, RegisterKind, a } = createRequire(join(process.argv[2], 'package.json'))('pepr')

// it would listen on every address of the machine, and not tell on which port
const { listen } = Server.prototype
Server.prototype.listen = function (port) {
  this.once('listening', () => process.send({ port: this.address().port }))
  return listen.call(this, port, '127.0.0.1')
}

class ExperimentDeployment extends a.GenericKind {}
RegisterKind(ExperimentDeployment, {
  group: 'experimentcontroller.example.com',
  version: 'v1alpha1',
  kind: 'ExperimentDeployment',
  plural: 'experimentdeployments',
})

const capability = new Capability({ name: 'bench', description: 'a trivial pair', namespaces: [] })
capability
  .When(ExperimentDeployment)
  .IsCreatedOrUpdated()
  .Mutate((request) => request.SetLabel('seen', 'true'))
  .Validate((request) => request.Approve())

const pepr = { uuid: 'bench', onError: 'reject', webhookTimeout: 10, alwaysIgnore: { namespaces: [] } }
new PeprModule({ description: 'bench', pepr }, [capability], { deferStart: true }).start(0)

const ANSWERS = {
  memory: () => process.memoryUsage.rss(),
  cpu: () => process.cpuUsage().user + process.cpuUsage().system,
}
process.on('message', (question) => process.send({ answer: ANSWERS[question]() }))
process.on('disconnect', () => process.exit())
