import fastifyApiReference from '@scalar/fastify-api-reference';

/** Methods of a Fastify server that the plugin uses. */
interface PluginServer {
  hasPlugin: () => boolean;
  route: (route: { url: string; handler: (request: object, reply: PluginReply) => unknown }) => void;
}

interface PluginReply {
  header: () => PluginReply;
  send: (body: string) => void;
}

type Plugin = (server: PluginServer, options: object, done: () => void) => void;

/**
 * Returns the script of the API reference viewer (Scalar). It comes from the viewer's Fastify plugin, which has fewer
 * dependencies than the viewer's own package. A fake server captures the file.
 * @throws {Error} if the plugin serves no script
 */
export function viewerScript(): string {
  let script: string | undefined;
  const reply: PluginReply = { header: () => reply, send: (body) => (script = body) };
  const server: PluginServer = {
    hasPlugin: () => false,
    route: ({ url, handler }) => void (url.endsWith('.js') && handler({}, reply)),
  };
  const plugin = fastifyApiReference as unknown as Plugin;
  plugin(server, { configuration: { url: 'openapi.json' } }, () => undefined);
  if (script === undefined) throw new Error('The package of the viewer has no script');
  return script.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '');
}
