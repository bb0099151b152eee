/** Bridle stays outside the bundle: it must be loaded once per process, and it loads some of its parts by path. */
export default { serverExternalPackages: ['bridle'] };
