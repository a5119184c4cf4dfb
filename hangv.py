import subprocess,resource,os,sys,time
for v in (90000,91000,92000,93000,94000,95000):
    def pre(): resource.setrlimit(resource.RLIMIT_AS,(v*1024,v*1024))
    p=subprocess.Popen(sys.argv[1:],preexec_fn=pre,env=dict(os.environ,XDG_CACHE_HOME='/tmp/hs/sv/xdg',SWIFT_BACKTRACE='enable=no'),stdout=subprocess.DEVNULL)
    time.sleep(1)
    r=p.poll(); print(v,r)
    if r is None: print(subprocess.run(['gdb','-p',str(p.pid),'-batch','-ex','thread apply all bt 16'],capture_output=True,text=True).stdout[-4500:]); p.kill(); break
